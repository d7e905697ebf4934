import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../src/contract/evaluation-response.ts";
import { isFailure, judgeAttempt, thresholdOf, type Outcome } from "../parts/judge-turn.ts";
import type { RunScenario, ScenarioStatus } from "./run-scenario-list.ts";

export interface AttemptCell {
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly overall: number | null;
}

/** One scenario as it is listed. */
export interface ScenarioRow {
  readonly scenarioId: string;
  readonly description: string;
  readonly status: ScenarioStatus;
  readonly cells: readonly AttemptCell[];
  readonly passed: number;
  readonly overall: number | null;
  readonly sd: number | null;
  /** Replies that contradict their reference in some point; 0 where that is not known. */
  readonly conflicts: number;
}

const order: Record<ScenarioStatus, number> = { failing: 0, flaky: 1, waiting: 2, passing: 3 };

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
  return { scenarioId: scenario_id, cells: attempts, passed: countPassed(attempts), conflicts: 0, ...rest };
}

export function toScenarioRow(scenario: ScenarioResult): ScenarioRow {
  const threshold = thresholdOf(scenario);
  const cells = scenario.attempts.map((attempt) => toCell(attempt, threshold));
  const passed = countPassed(cells);
  return {
    scenarioId: scenario.scenario_id,
    description: scenario.description,
    cells,
    status: statusOf(cells.length, passed),
    passed,
    overall: scenario.average_scores["overall"] ?? null,
    sd: scenario.score_stats["overall"]?.sd ?? null,
    conflicts: countConflicts(scenario),
  };
}

const countPassed = (cells: readonly AttemptCell[]): number =>
  cells.filter(({ outcome }) => !isFailure(outcome)).length;

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

function statusOf(attempts: number, passed: number): ScenarioStatus {
  if (attempts === 0) return "waiting";
  if (passed === attempts) return "passing";
  return passed === 0 ? "failing" : "flaky";
}

const compareRows = (left: ScenarioRow, right: ScenarioRow): number =>
  order[left.status] - order[right.status] || (left.overall ?? 0) - (right.overall ?? 0);
