import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../src/contract/evaluation-response.ts";
import { isFailure, judgeAttempt, judgeTurn, thresholdOf, type Outcome } from "../parts/judge-turn.ts";

export interface AttemptCell {
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly overall: number | null;
  /** Where to look first: the first failing turn, or the first. */
  readonly turn: number;
}

export type ScenarioStatus = "failing" | "flaky" | "passing" | "waiting";

export interface ScenarioRow {
  readonly scenario: ScenarioResult;
  readonly status: ScenarioStatus;
  readonly cells: readonly AttemptCell[];
  readonly passed: number;
  /** Replies that contradict their reference in some point. */
  readonly conflicts: number;
}

const order: Record<ScenarioStatus, number> = { failing: 0, flaky: 1, waiting: 2, passing: 3 };

/** One row per scenario: failures first, then flaky ones, the worst on top. */
export function toScenarioRows(results: EvaluationResponse): ScenarioRow[] {
  return results.results.scenarios.map(toRow).toSorted(compareRows);
}

function toRow(scenario: ScenarioResult): ScenarioRow {
  const threshold = thresholdOf(scenario);
  const cells = scenario.attempts.map((attempt) => toCell(attempt, threshold));
  const failed = cells.filter((cell) => isFailure(cell.outcome)).length;
  return {
    scenario,
    cells,
    status: statusOf(cells.length, failed),
    passed: cells.length - failed,
    conflicts: countConflicts(scenario),
  };
}

const countConflicts = ({ attempts }: ScenarioResult): number =>
  attempts.reduce(
    (sum, { interactions }) => sum + interactions.filter((turn) => (turn.conflicts ?? []).length > 0).length,
    0,
  );

function toCell(attempt: AttemptResult, threshold: number): AttemptCell {
  const turn = attempt.interactions.findIndex((interaction) => isFailure(judgeTurn(interaction, threshold)));
  return {
    attempt: attempt.attempt,
    outcome: judgeAttempt(attempt, threshold),
    overall: attempt.average_scores["overall"] ?? null,
    turn: Math.max(0, turn),
  };
}

function statusOf(attempts: number, failed: number): ScenarioStatus {
  if (attempts === 0) return "waiting";
  if (failed === 0) return "passing";
  return failed === attempts ? "failing" : "flaky";
}

function compareRows(left: ScenarioRow, right: ScenarioRow): number {
  const overall = (row: ScenarioRow): number => row.scenario.average_scores["overall"] ?? 0;
  return order[left.status] - order[right.status] || overall(left) - overall(right);
}
