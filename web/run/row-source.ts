import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { RowFilter } from "./row-filter.ts";
import { scenarioStatuses, type ScenarioStatus } from "./run-scenario-list.ts";
import { toScenarioRows, type ScenarioRow } from "./scenario-rows.ts";

/** The rows of a run, whether all of them are here or only those on screen. */
export interface RowSource {
  /** How many match the filter. */
  readonly total: number;
  /** Of the whole run. */
  readonly counts: Readonly<Record<ScenarioStatus, number>>;
  /** Undefined while it is on its way. */
  rowAt(index: number): ScenarioRow | undefined;
  /** Told which rows are on screen. */
  show?(first: number, last: number): void;
}

/** All rows of a run whose results are here. */
export function wholeRows(results: EvaluationResponse, { status, text }: RowFilter): RowSource {
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
