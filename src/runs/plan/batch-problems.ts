import type { FieldError } from "../../contract/errors.ts";
import type { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { turnId } from "../../contract/schemas/scenario.ts";
import { compileQuickly } from "../../evaluation/scorers/checks/offload-check.ts";
import { createCompilationProblems } from "../../evaluation/scorers/scorer-problems.ts";
import { surveyActing } from "./acting-problems.ts";
import type { PlanLimits } from "./limits.ts";
import { scorersProblems, type PlanHelpers } from "./option-problems.ts";
import { checkErrors, locateChecks, type LocatedTurn } from "./request-checks.ts";

type Batch = EvaluationRequest["test_batch"];
type BatchScenario = Exclude<Batch, readonly unknown[]>;

/** The result of one walk over a batch. */
interface BatchSurvey {
  /** Duplicate ids, oversized labels and too many scores. */
  readonly problems: readonly FieldError[];
  /** The turns that have checks. */
  readonly turns: readonly LocatedTurn[];
  readonly interactions: number;
  /** True when a turn has reference tool calls. */
  readonly expectsCalls: boolean;
  /** True when a scenario needs a simulator. */
  readonly simulated: boolean;
  /** The first scenario with a simulated user, as a pointer; null without one. */
  readonly userPointer: string | null;
}

/** Walks a batch once and collects what planning needs to know about it. */
export function surveyBatch(batch: Batch, limits: PlanLimits): BatchSurvey {
  const several = Array.isArray(batch);
  const duplicates: FieldError[] = [];
  const turnProblems: FieldError[] = [];
  const turns: LocatedTurn[] = [];
  const scores: ScoreNames = { labels: new Set(), checks: new Set() };
  const scenarioIds = new Set<string>();
  let interactions = 0;
  let expectsCalls = false;
  let simulated = false;
  let userPointer: string | null = null;
  for (const [index, scenario] of (several ? batch : [batch]).entries()) {
    const pointer = several ? `/test_batch/${index}` : "/test_batch";
    if (scenarioIds.has(scenario.id)) duplicates.push(duplicateId(`${pointer}/id`, "scenario", scenario.id));
    scenarioIds.add(scenario.id);
    const { user } = scenario;
    interactions += scenario.interactions.length + (user?.max_turns ?? 0);
    simulated ||= user !== undefined && !user.recorded;
    if (user) userPointer ??= `${pointer}/user`;
    expectsCalls ||= scenario.interactions.some(({ reference_tool_calls }) => reference_tool_calls !== undefined);
    const found = surveyScenario(scenario, { pointer, scores, limits });
    turnProblems.push(...found.problems);
    turns.push(...found.turns);
  }
  const problems = [...duplicates, ...turnProblems, ...scoreProblems(scores, limits)];
  return { problems, turns, interactions, expectsCalls, simulated, userPointer };
}

/** Names from which the scores of a run are made. */
interface ScoreNames {
  readonly labels: Set<string>;
  readonly checks: Set<string>;
}

function surveyScenario(
  { interactions }: BatchScenario,
  { pointer, scores, limits }: { pointer: string; scores: ScoreNames; limits: PlanLimits },
): Pick<BatchSurvey, "problems" | "turns"> {
  const ids = new Set<string>();
  const duplicates: FieldError[] = [];
  const oversized: FieldError[] = [];
  const turns: LocatedTurn[] = [];
  for (const [turn, interaction] of interactions.entries()) {
    const { reference_metadata, checks = [] } = interaction;
    const id = turnId(interaction, turn);
    const at = `${pointer}/interactions/${turn}`;
    if (ids.has(id)) duplicates.push(duplicateId(`${at}/id`, "interaction", id));
    ids.add(id);
    oversized.push(...metadataProblems(reference_metadata, `${at}/reference_metadata`, limits));
    for (const key of Object.keys(reference_metadata)) scores.labels.add(key);
    for (const { name } of checks) if (name !== undefined) scores.checks.add(name);
    if (checks.length > 0) turns.push({ pointer: `${at}/checks`, checks });
  }
  return { problems: [...duplicates, ...oversized], turns };
}

function duplicateId(pointer: string, noun: string, id: string): FieldError {
  return {
    pointer,
    code: "duplicate_id",
    message: `is used by an earlier ${noun}; ${noun} ids must be unique`,
    received: id.slice(0, 80),
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

/** A run has a mean of every score for every scenario, so score names that differ from turn to turn would multiply. */
function scoreProblems({ labels, checks }: ScoreNames, limits: PlanLimits): FieldError[] {
  const count = labels.size + checks.size;
  if (count <= limits.scores) return [];
  return [
    {
      pointer: "/test_batch",
      code: "too_big",
      message: `must have at most ${limits.scores} different keys of reference_metadata and names of checks (limits.max_scores)`,
      received: String(count),
    },
  ];
}

export interface ScenarioRules {
  readonly limits: PlanLimits;
  readonly helpers: PlanHelpers;
  /** True: compiles every check, however long that takes. Default: skips compiling when all checks together may be slow. */
  readonly patient?: boolean;
}

/** Problems that would make any run refuse a scenario, per scenario, with pointers relative to it. */
export function scenarioProblems(
  scenarios: readonly BatchScenario[],
  { limits, helpers, patient = false }: ScenarioRules,
): FieldError[][] {
  const surveys = scenarios.map((scenario) => surveyBatch(scenario, limits));
  const acting = scenarios.map((scenario) => surveyActing(scenario, { inRun: false }));
  const located = surveys.map(({ turns }, index) => [...locateChecks([], turns), ...(acting[index]?.checks ?? [])]);
  const compiles = patient || compileQuickly(located.flat().map(({ setting }) => setting));
  const readinessProblems = createCompilationProblems();
  return surveys.map(({ problems, turns }, index) => {
    const checks = located[index] ?? [];
    const all = [
      ...problems,
      ...(acting[index]?.problems ?? []),
      ...scorersProblems({ turns }, helpers),
      ...(compiles ? checkErrors(checks, readinessProblems(checks.map(({ setting }) => setting))) : []),
    ];
    return all.map((problem) => ({ ...problem, pointer: problem.pointer.slice("/test_batch".length) }));
  });
}
