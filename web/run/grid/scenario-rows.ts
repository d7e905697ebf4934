import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../../src/contract/schemas/evaluation-response.ts";
import { isFailure, turnOutcome } from "../../../src/contract/schemas/outcome.ts";
import type { AlwaysFailing, ScenarioCounts } from "../../../src/contract/schemas/run.ts";
import type { RunScenario, RunScenariosQuery, ScenarioStatus } from "../../../src/contract/schemas/run-scenarios.ts";
import type { InteractionResult } from "../../../src/contract/schemas/interaction-result.ts";
import { countWrongCalls } from "../../parts/runs/tool-calls.ts";
import { classifyAttempt, type AttemptStatus } from "../../parts/runs/scores.ts";

/** In the order of the list. */
export const scenarioStatuses: readonly ScenarioStatus[] = ["failing", "flaky", "waiting", "unscored", "passing"];

export const statusLabel = (status: ScenarioStatus): string => (status === "unscored" ? "not judged" : status);

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
  /** Tool calls that are wrong, or missing; 0 if unknown. */
  readonly wrongCalls: number;
  /** Indexes of turns that fail in every attempt, although the scenario passes at least once. */
  readonly alwaysFailing: readonly number[];
}

/** True when no attempt got all its replies: the scenario says nothing about the model. */
export const hasNoReply = ({ status, cells }: Pick<ScenarioRow, "status" | "cells">): boolean =>
  status === "failing" &&
  cells.some(({ outcome }) => outcome === "errored") &&
  cells.every(({ outcome }) => outcome !== "failed");

/** One row per scenario: failing first, then flaky, lowest score on top. */
export const toScenarioRows = (results: EvaluationResponse): ScenarioRow[] =>
  sortedScenarios(results).map(({ row }) => row);

/** The rows in list order, each with its scenario. */
export function sortedScenarios(results: EvaluationResponse): { row: ScenarioRow; scenario: ScenarioResult }[] {
  return results.results.scenarios
    .map((scenario) => ({ row: toScenarioRow(scenario), scenario }))
    .toSorted(({ row: left }, { row: right }) => compareRows(left, right));
}

/** A row from a page of the service's list. `always` comes from the run's summary. */
export function fromRunScenario(
  { scenario_id, attempts, ...rest }: RunScenario,
  always: readonly AlwaysFailing[] = [],
): ScenarioRow {
  const alwaysFailing = always.find((entry) => entry.scenario_id === scenario_id)?.turns ?? [];
  return {
    scenarioId: scenario_id,
    cells: attempts,
    ...countCells(attempts),
    conflicts: 0,
    wrongCalls: 0,
    alwaysFailing,
    ...rest,
  };
}

interface RowVerdicts {
  readonly scenarios: ScenarioCounts;
  readonly always_failing: AlwaysFailing[];
}

/** The counts that the summary of a run has, for runs of earlier versions. */
export function countVerdicts(results: EvaluationResponse): RowVerdicts {
  const rows = results.results.scenarios.map(toScenarioRow);
  const count = (wanted: ScenarioStatus): number => rows.filter(({ status }) => status === wanted).length;
  const no_reply = rows.filter(hasNoReply).length;
  return {
    scenarios: {
      total: rows.length,
      passing: count("passing"),
      flaky: count("flaky"),
      failing: count("failing") - no_reply,
      no_reply,
      unscored: count("unscored"),
      waiting: count("waiting"),
    },
    always_failing: rows
      .filter(({ alwaysFailing }) => alwaysFailing.length > 0)
      .map(({ scenarioId, alwaysFailing }) => ({ scenario_id: scenarioId, turns: [...alwaysFailing] })),
  };
}

/**
 * The chance that k attempts at a scenario all pass, as the mean over the scenarios with a verdict. `k` is the most that every one
 * of them has; null with single attempts.
 */
export function passHatK({ results }: EvaluationResponse): { k: number; mean: number } | null {
  const chances = results.scenarios.flatMap(({ reliability }) =>
    reliability && reliability.attempts > 0 ? [reliability.pass_hat_k] : [],
  );
  const k = Math.min(...chances.map(({ length }) => length));
  if (chances.length === 0 || k < 2) return null;
  return { k, mean: chances.reduce((sum, chance) => sum + (chance[k - 1] ?? 0), 0) / chances.length };
}

export function toScenarioRow(scenario: ScenarioResult): ScenarioRow {
  const { threshold } = scenario;
  const cells = scenario.attempts.map((attempt) => toCell(attempt, threshold));
  const status = statusOf(cells);
  return {
    scenarioId: scenario.scenario_id,
    description: scenario.description,
    cells,
    status,
    alwaysFailing: status === "passing" || status === "flaky" ? turnsThatAlwaysFail(scenario, threshold) : [],
    ...countCells(cells),
    overall: scenario.average_scores["overall"] ?? null,
    sd: scenario.score_stats["overall"]?.sd ?? null,
    conflicts: countConflicts(scenario),
    wrongCalls: sumOfTurns(scenario, countWrongCalls),
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

const countConflicts = (scenario: ScenarioResult): number =>
  sumOfTurns(scenario, ({ conflicts = [] }) => Number(conflicts.length > 0));

function sumOfTurns({ attempts }: ScenarioResult, count: (turn: InteractionResult) => number): number {
  return attempts.reduce(
    (sum, { interactions }) => sum + interactions.reduce((total, turn) => total + count(turn), 0),
    0,
  );
}

function turnsThatAlwaysFail({ attempts }: ScenarioResult, threshold: number | undefined): number[] {
  const turns = attempts.filter(({ unfinished }) => !unfinished).flatMap(({ interactions }) => interactions);
  const judged = turns.flatMap((turn) => {
    const outcome = turnOutcome(turn, threshold);
    return outcome === "unscored" ? [] : [{ index: turn.turn_index, fails: isFailure(outcome) }];
  });
  const byTurn = Map.groupBy(judged, ({ index }) => index);
  return [...byTurn]
    .flatMap(([index, all]) => (all.every(({ fails }) => fails) ? [index] : []))
    .toSorted((a, b) => a - b);
}

const toCell = (attempt: AttemptResult, threshold: number | undefined): AttemptCell => ({
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

type SortOrder = NonNullable<RunScenariosQuery["sort"]>;

const sortOrders: readonly SortOrder[] = ["scenario", "-scenario", "passed", "-passed", "overall", "-overall"];

export interface RowFilter {
  readonly status: ScenarioStatus | undefined;
  readonly text: string;
  /** Undefined: failing scenarios first. */
  readonly sort?: SortOrder | undefined;
}

/** The filter in the address. */
export const readRowFilter = (params: URLSearchParams): RowFilter => ({
  status: scenarioStatuses.find((status) => status === params.get("show")),
  text: params.get("q") ?? "",
  sort: sortOrders.find((order) => order === params.get("sort")),
});

/** The service's order: stable, and scenarios without the figure come last in both directions. */
function sortRows(rows: readonly ScenarioRow[], sort: SortOrder | undefined): readonly ScenarioRow[] {
  if (sort === undefined) return rows;
  const direction = sort.startsWith("-") ? -1 : 1;
  const keyOf = ({ scenarioId, overall, passed, judged }: ScenarioRow): string | number | null => {
    if (sort.endsWith("scenario")) return scenarioId;
    if (sort.endsWith("overall")) return overall;
    return judged === 0 ? null : passed / judged;
  };
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .toSorted(({ key: left }, { key: right }) => {
      if (left === null || right === null) return Number(left === null) - Number(right === null);
      return left === right ? 0 : direction * (left < right ? -1 : 1);
    })
    .map(({ row }) => row);
}

export const isFiltered = ({ status, text }: RowFilter): boolean => status !== undefined || text !== "";

/** The rows of a run: all of them, or only the pages on screen. */
export interface RowSource {
  /** Rows that match the filter. */
  readonly total: number;
  /** Scenarios of the whole run by status. */
  readonly counts: Readonly<Record<ScenarioStatus, number>>;
  /** How many of the failing scenarios got no reply; undefined if unknown. */
  readonly noReply?: number | undefined;
  /** Undefined while the row loads. */
  rowAt(index: number): ScenarioRow | undefined;
  /** Loads the rows on screen; absent when all rows are loaded. */
  showRange?(first: number, last: number): void;
}

/** All rows of a run whose results are loaded. */
export function allRows(results: EvaluationResponse, { status, text, sort }: RowFilter): RowSource {
  const rows = toScenarioRows(results);
  const searched = text.toLowerCase();
  const matching = sortRows(
    rows.filter(
      (row) =>
        (status === undefined || row.status === status) &&
        `${row.scenarioId} ${row.description}`.toLowerCase().includes(searched),
    ),
    sort,
  );
  const count = (wanted: ScenarioStatus): number => rows.filter((row) => row.status === wanted).length;
  return {
    total: matching.length,
    counts: Object.fromEntries(scenarioStatuses.map((name) => [name, count(name)])) as RowSource["counts"],
    noReply: rows.filter(hasNoReply).length,
    rowAt: (index) => matching[index],
  };
}
