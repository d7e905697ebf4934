import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../../src/contract/schemas/evaluation-response.ts";
import { thresholdOf } from "../../../src/contract/schemas/outcome.ts";
import type { RunScenario, RunScenariosQuery, ScenarioStatus } from "../../../src/contract/schemas/run-scenarios.ts";
import { classifyAttempt, type AttemptStatus } from "../../parts/runs/scores.ts";

/** In the order of the list. */
export const scenarioStatuses: readonly ScenarioStatus[] = ["failing", "flaky", "waiting", "unscored", "passing"];

export const statusLabel = (status: ScenarioStatus): string => (status === "unscored" ? "not scored" : status);

export type RunScenarioQuery = Partial<RunScenariosQuery>;

export interface AttemptCell {
  readonly attempt: number;
  readonly outcome: AttemptStatus;
  readonly overall: number | null;
}

/** One scenario of the list. */
export interface ScenarioRow {
  readonly scenarioId: string;
  readonly description: string;
  readonly status: ScenarioStatus;
  /** One per planned attempt, as far as known. */
  readonly cells: readonly AttemptCell[];
  /** Finished attempts. */
  readonly ended: number;
  /** Finished attempts with a verdict: scored, or without a reply. */
  readonly judged: number;
  readonly passed: number;
  readonly overall: number | null;
  readonly sd: number | null;
  /** Replies that may contradict their reference; 0 if unknown. */
  readonly conflicts: number;
}

/** One row per scenario: failing first, then flaky, lowest score on top. */
export const toScenarioRows = (results: EvaluationResponse): ScenarioRow[] =>
  sortedScenarios(results).map(({ row }) => row);

/** The rows in list order, each with its scenario. */
export function sortedScenarios(results: EvaluationResponse): { row: ScenarioRow; scenario: ScenarioResult }[] {
  return results.results.scenarios
    .map((scenario) => ({ row: toScenarioRow(scenario), scenario }))
    .toSorted(({ row: left }, { row: right }) => compareRows(left, right));
}

/** A row from a page of the service's list. */
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
  const count = (...outcomes: readonly AttemptStatus[]): number =>
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
  outcome: classifyAttempt(attempt, threshold),
  overall: attempt.average_scores["overall"] ?? null,
});

/** The service's rule: unfinished attempts are ignored, and unscored ones neither pass nor fail. */
function statusOf(cells: readonly AttemptCell[]): ScenarioStatus {
  const { ended, judged, passed } = countCells(cells);
  if (ended === 0) return "waiting";
  if (judged === 0) return "unscored";
  if (passed === 0) return "failing";
  return passed === judged ? "passing" : "flaky";
}

const compareRows = (left: ScenarioRow, right: ScenarioRow): number =>
  scenarioStatuses.indexOf(left.status) - scenarioStatuses.indexOf(right.status) ||
  (left.overall ?? 0) - (right.overall ?? 0);

export interface RowFilter {
  readonly status: ScenarioStatus | undefined;
  readonly text: string;
}

/** The filter in the address. */
export const readRowFilter = (params: URLSearchParams): RowFilter => ({
  status: scenarioStatuses.find((status) => status === params.get("show")),
  text: params.get("q") ?? "",
});

export const isFiltered = ({ status, text }: RowFilter): boolean => status !== undefined || text !== "";

/** The rows of a run: all of them, or only the pages on screen. */
export interface RowSource {
  /** Rows that match the filter. */
  readonly total: number;
  /** Scenarios of the whole run by status. */
  readonly counts: Readonly<Record<ScenarioStatus, number>>;
  /** Undefined while the row loads. */
  rowAt(index: number): ScenarioRow | undefined;
  /** Loads the rows on screen; absent when all rows are loaded. */
  showRange?(first: number, last: number): void;
}

/** All rows of a run whose results are loaded. */
export function allRows(results: EvaluationResponse, { status, text }: RowFilter): RowSource {
  const rows = toScenarioRows(results);
  const searched = text.toLowerCase();
  const matching = rows.filter(
    (row) =>
      (status === undefined || row.status === status) &&
      `${row.scenarioId} ${row.description}`.toLowerCase().includes(searched),
  );
  const count = (wanted: ScenarioStatus): number => rows.filter((row) => row.status === wanted).length;
  return {
    total: matching.length,
    counts: Object.fromEntries(scenarioStatuses.map((name) => [name, count(name)])) as RowSource["counts"],
    rowAt: (index) => matching[index],
  };
}
