import { ServiceError, type FieldError } from "../contract/service-error.ts";
import type { EvaluationRequest } from "../contract/evaluation-request.ts";
import { areQuicklyReady } from "../evaluation/scorers/checks/quickly-ready.ts";
import { readinessProblems } from "../evaluation/scorers/scorer-problems.ts";
import { fieldsError } from "./fields-error.ts";
import { withOperator } from "./operator-helper.ts";
import { toScenario } from "./to-scenario.ts";
import { optionProblems, scorersProblems, type PlanHelpers } from "./option-problems.ts";
import { checkErrors, placedChecks, type PlacedCheck, type PlannedRun } from "./placed-checks.ts";

/** Bounds on one request, from the operator's settings. */
export interface PlanLimits {
  readonly attempts: number;
  readonly interactions: number;
  readonly callsPerRun: number;
  readonly metadataKeys: number;
  readonly metadataBytes: number;
  readonly scores: number;
}

/**
 * Fills in every default of a request and refuses what cannot be run: doubled ids, too many calls or scores, oversized labels,
 * scorers and judges that cannot be used. `helpers` is what the operator offers beside the model under test.
 */
export function planRun(request: EvaluationRequest, limits: PlanLimits, helpers: PlanHelpers = {}): PlannedRun {
  const { test_batch, test_name, attempts: setting, judge, labeller, ...options } = request;
  const inputs = Array.isArray(test_batch) ? test_batch : [test_batch];
  const attempts = typeof setting === "number" ? setting : setting.max;
  refuse(attemptProblems(attempts, { limits, pointer: typeof setting === "number" ? "/attempts" : "/attempts/max" }));
  refuse(batchProblems(test_batch, limits));
  refuse(optionProblems(request, helpers));
  const untried = triedChecks(request);
  checkSize(inputs, { attempts: request.history === "both" ? attempts * 2 : attempts, limits });

  const scenarios = inputs.map(toScenario);
  return {
    ...options,
    attempts,
    ...(typeof setting === "object" && { adaptive: setting }),
    ...(judge && { judge: withOperator(judge, helpers.judge) }),
    ...(labeller && { labeller: withOperator(labeller, helpers.labeller) }),
    scenarios,
    test_name: test_name ?? scenarios[0]?.id ?? "",
    ...untried,
  };
}

/** Refuses checks that cannot be used. Those that may take long to be made ready are left to be tried elsewhere. */
export function triedChecks(
  request: Pick<EvaluationRequest, "scorers" | "test_batch">,
): Pick<PlannedRun, "untried"> | undefined {
  const checks = placedChecks(request);
  const problems = quickProblems(checks);
  if (!problems) return { untried: checks };
  refuse(problems);
  return undefined;
}

/** What every run of a scenario would be refused for, with pointers from the scenario on; checks that take long to try are not tried. */
export function scenarioProblems(scenario: ScenarioInput, limits: PlanLimits, helpers: PlanHelpers): FieldError[] {
  const problems = [
    ...batchProblems(scenario, limits),
    ...scorersProblems({ test_batch: scenario }, helpers),
    ...(quickProblems(placedChecks({ test_batch: scenario })) ?? []),
  ];
  return problems.map((problem) => ({ ...problem, pointer: problem.pointer.slice("/test_batch".length) }));
}

/** What keeps checks from being used; null where it may take long to find out. */
function quickProblems(checks: readonly PlacedCheck[]): FieldError[] | null {
  const settings = checks.map(({ setting }) => setting);
  return areQuicklyReady(settings) ? checkErrors(checks, readinessProblems(settings)) : null;
}

type Batch = EvaluationRequest["test_batch"];
type ScenarioInput = Exclude<Batch, readonly unknown[]>;

function attemptProblems(attempts: number, { limits, pointer }: { limits: PlanLimits; pointer: string }): FieldError[] {
  if (attempts <= limits.attempts) return [];
  return [
    {
      pointer,
      code: "too_big",
      message: `must be at most ${limits.attempts} (REHEARSAL_MAX_ATTEMPTS)`,
      received: String(attempts),
    },
  ];
}

/** Ids that are used twice, labels that are too large, and too many scores. */
export function batchProblems(batch: Batch, limits: PlanLimits): FieldError[] {
  const several = Array.isArray(batch);
  const inputs = several ? batch : [batch];
  const base = (index: number): string => (several ? `/test_batch/${index}` : "/test_batch");
  return [
    ...duplicates(inputs.map((input) => input.id)).map((index) =>
      duplicated(`${base(index)}/id`, "scenario", inputs[index]?.id),
    ),
    ...inputs.flatMap((input, index) => [
      ...duplicates(input.interactions.map((interaction) => interaction.id)).map((turn) =>
        duplicated(`${base(index)}/interactions/${turn}/id`, "interaction", input.interactions[turn]?.id),
      ),
      ...input.interactions.flatMap((interaction, turn) =>
        metadataProblems(
          interaction.reference_metadata,
          `${base(index)}/interactions/${turn}/reference_metadata`,
          limits,
        ),
      ),
    ]),
    ...scoreProblems(inputs, limits),
  ];
}

function duplicated(pointer: string, noun: string, id: string | undefined): FieldError {
  return {
    pointer,
    code: "duplicate_id",
    message: `is used by an earlier ${noun}; ${noun} ids must be unique`,
    received: (id ?? "").slice(0, 80),
  };
}

function metadataProblems(metadata: object, pointer: string, limits: PlanLimits): FieldError[] {
  const keys = Object.keys(metadata).length;
  if (keys > limits.metadataKeys) {
    return [
      { pointer, code: "too_big", message: `must have at most ${limits.metadataKeys} keys`, received: `${keys} keys` },
    ];
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= limits.metadataBytes) return [];
  return [
    {
      pointer,
      code: "too_big",
      message: `must be at most ${limits.metadataBytes} bytes of JSON`,
      received: `${bytes} bytes`,
    },
  ];
}

/** Every score of a run has a mean for every scenario: scores that each turn has for itself alone would multiply. */
function scoreProblems(inputs: readonly ScenarioInput[], limits: PlanLimits): FieldError[] {
  const keys = new Set<string>();
  const checkNames = new Set<string>();
  for (const { reference_metadata, checks = [] } of inputs.flatMap(({ interactions }) => interactions)) {
    for (const key of Object.keys(reference_metadata)) keys.add(key);
    for (const { name } of checks) if (name !== undefined) checkNames.add(name);
  }
  const count = keys.size + checkNames.size;
  if (count <= limits.scores) return [];
  return [
    {
      pointer: "/test_batch",
      code: "too_big",
      message: `must have at most ${limits.scores} different keys of reference_metadata and names of checks (REHEARSAL_MAX_SCORES)`,
      received: String(count),
    },
  ];
}

/** Positions of the entries that repeat an earlier one. */
function duplicates(ids: readonly string[]): number[] {
  const seen = new Set<string>();
  return ids.flatMap((id, index) => {
    if (seen.has(id)) return [index];
    seen.add(id);
    return [];
  });
}

function checkSize(
  inputs: readonly ScenarioInput[],
  { attempts, limits }: { attempts: number; limits: PlanLimits },
): void {
  const interactions = inputs.reduce((sum, input) => sum + input.interactions.length, 0);
  if (interactions > limits.interactions) {
    throw new ServiceError(
      "too_many_interactions",
      `The batch has ${interactions} interactions; at most ${limits.interactions} are allowed (REHEARSAL_MAX_INTERACTIONS).`,
    );
  }
  const calls = interactions * attempts;
  if (calls > limits.callsPerRun) {
    throw new ServiceError(
      "too_many_interactions",
      `${interactions} interactions × ${attempts} attempts are ${calls} calls; at most ${limits.callsPerRun} are allowed (REHEARSAL_MAX_CALLS_PER_RUN).`,
    );
  }
}

export function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw fieldsError(errors);
}
