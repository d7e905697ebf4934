import type { FieldError } from "../../contract/errors/errors.ts";
import type { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { turnId } from "../../contract/schemas/scenario.ts";
import { compileQuickly } from "../../evaluation/checks/offload-check.ts";
import { createCompilationProblems } from "../../evaluation/checks/scorer-problems.ts";
import { createActingSurvey } from "./acting-problems.ts";
import type { PlanLimits } from "./limits.ts";
import { scorersProblems, type PlanHelpers } from "./option-problems.ts";
import { checkErrors, locateChecks, type LocatedTurn } from "./request-checks.ts";
import { walkScenarios, type ScenarioVisitor } from "./walk-scenarios.ts";

type SurveyedScenario = Exclude<EvaluationRequest["test_batch"], readonly unknown[]>;

/** Ids, labels and checks of a batch. */
interface BatchSurvey extends ScenarioVisitor<SurveyedScenario> {
  /** The turns that have checks. */
  readonly turns: readonly LocatedTurn[];
  /** Duplicate ids, oversized labels and too many scores. */
  problems(): readonly FieldError[];
}

export function createBatchSurvey(limits: PlanLimits): BatchSurvey {
  const duplicateScenarios: FieldError[] = [];
  const ofTurns: FieldError[] = [];
  const turns: LocatedTurn[] = [];
  const labels = new Set<string>();
  const checkNames = new Set<string>();
  const scenarioIds = new Set<string>();
  let turnIds = new Set<string>();
  let oversized: FieldError[] = [];
  return {
    turns,
    enter({ id }, pointer) {
      if (scenarioIds.has(id)) duplicateScenarios.push(duplicateId(`${pointer}/id`, "scenario", id));
      scenarioIds.add(id);
      turnIds = new Set();
      oversized = [];
    },
    turn(interaction, pointer, index) {
      const { reference_metadata, checks = [] } = interaction;
      const id = turnId(interaction, index);
      if (turnIds.has(id)) ofTurns.push(duplicateId(`${pointer}/id`, "interaction", id));
      turnIds.add(id);
      oversized.push(...metadataProblems(reference_metadata, `${pointer}/reference_metadata`, limits));
      for (const key of Object.keys(reference_metadata)) labels.add(key);
      for (const { name } of checks) if (name !== undefined) checkNames.add(name);
      if (checks.length > 0) turns.push({ pointer: `${pointer}/checks`, checks });
    },
    leave() {
      ofTurns.push(...oversized);
    },
    problems: () => [...duplicateScenarios, ...ofTurns, ...scoreProblems(labels.size + checkNames.size, limits)],
  };
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
function scoreProblems(count: number, limits: PlanLimits): FieldError[] {
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
  scenarios: readonly SurveyedScenario[],
  { limits, helpers, patient = false }: ScenarioRules,
): FieldError[][] {
  const surveys = scenarios.map((scenario) => {
    const batch = createBatchSurvey(limits);
    const acting = createActingSurvey({ inRun: false });
    walkScenarios(scenario, [batch, acting]);
    return { turns: batch.turns, checks: acting.checks(), problems: [...batch.problems(), ...acting.problems()] };
  });
  const located = surveys.map(({ turns, checks }) => [...locateChecks([], turns), ...checks]);
  const compiles = patient || compileQuickly(located.flat().map(({ setting }) => setting));
  const readinessProblems = createCompilationProblems();
  return surveys.map(({ problems, turns }, index) => {
    const checks = located[index] ?? [];
    const all = [
      ...problems,
      ...scorersProblems({ turns }, helpers),
      ...(compiles ? checkErrors(checks, readinessProblems(checks.map(({ setting }) => setting))) : []),
    ];
    return all.map((problem) => ({ ...problem, pointer: problem.pointer.slice("/test_batch".length) }));
  });
}
