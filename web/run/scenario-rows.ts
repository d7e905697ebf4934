import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../src/contract/schemas/evaluation-response.ts";
import { thresholdOf } from "../../src/contract/schemas/outcome.ts";
import { judgeAttempt, type AttemptOutcome } from "../parts/judge-attempt.ts";
import type { RunScenario, ScenarioStatus } from "./run-scenario-list.ts";

export interface AttemptCell {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly overall: number | null;
}

/** One scenario as it is listed. */
export interface ScenarioRow {
  readonly scenarioId: string;
  readonly description: string;
  readonly status: ScenarioStatus;
  /** One per planned attempt, as far as that is known. */
  readonly cells: readonly AttemptCell[];
  /** Attempts that have come to their end. */
  readonly ended: number;
  /** Of those, the ones that could be scored or got no reply. */
  readonly judged: number;
  readonly passed: number;
  readonly overall: number | null;
  readonly sd: number | null;
  /** Replies that contradict their reference on some point; 0 where that is not known. */
  readonly conflicts: number;
}

const order: Record<ScenarioStatus, number> = { failing: 0, flaky: 1, waiting: 2, unscored: 3, passing: 4 };

/** One row per scenario: failures first, then flaky ones, the worst on top. */
export const toScenarioRows = (results: EvaluationResponse): ScenarioRow[] =>
  listedScenarios(results).map(({ row }) => row);

/** The rows in their order, each with what it was made from. */
export function listedScenarios(results: EvaluationResponse): { row: ScenarioRow; scenario: ScenarioResult }[] {
  return results.results.scenarios
    .map((scenario) => ({ row: toScenarioRow(scenario), scenario }))
    .toSorted(({ row: left }, { row: right }) => compareRows(left, right));
}

/** A row out of a page the service made. */
export function fromRunScenario({ scenario_id, attempts, ...rest }: RunScenario): ScenarioRow {
  return { scenarioId: scenario_id, cells: attempts, ...countCells(attempts), conflicts: 0, ...rest };
}

export function toScenarioRow(scenario: ScenarioResult): ScenarioRow {
  const threshold = thresholdOf(scenario);
  const cells = scenario.attempts.map((attempt) => toCell(attempt, threshold));
  return {
    scenarioId: scenario.scenario_id,
    description: scenario.description,
    cells,
    status: statusOf(cells),
    ...countCells(cells),
    overall: scenario.average_scores["overall"] ?? null,
    sd: scenario.score_stats["overall"]?.sd ?? null,
    conflicts: countConflicts(scenario),
  };
}

function countCells(cells: readonly AttemptCell[]): Pick<ScenarioRow, "ended" | "judged" | "passed"> {
  const count = (...outcomes: readonly AttemptOutcome[]): number =>
    cells.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    ended: cells.length - count("waiting", "unfinished"),
    judged: count("passed", "failed", "errored"),
    passed: count("passed"),
  };
}

const countConflicts = ({ attempts }: ScenarioResult): number =>
  attempts.reduce(
    (sum, { interactions }) => sum + interactions.filter((turn) => (turn.conflicts ?? []).length > 0).length,
    0,
  );

const toCell = (attempt: AttemptResult, threshold: number): AttemptCell => ({
  attempt: attempt.attempt,
  outcome: judgeAttempt(attempt, threshold),
  overall: attempt.average_scores["overall"] ?? null,
});

/** As the service says it: what has not ended counts for nothing, and what could not be scored neither passed nor failed. */
function statusOf(cells: readonly AttemptCell[]): ScenarioStatus {
  const { ended, judged, passed } = countCells(cells);
  if (ended === 0) return "waiting";
  if (judged === 0) return "unscored";
  if (passed === 0) return "failing";
  return passed === judged ? "passing" : "flaky";
}

const compareRows = (left: ScenarioRow, right: ScenarioRow): number =>
  order[left.status] - order[right.status] || (left.overall ?? 0) - (right.overall ?? 0);
