import type { JsonRecord } from "../../../base/json.ts";
import type { UnmappedCheckDraft } from "../../shared/imported-scenario.ts";
import type { ItemContext } from "../../shared/items.ts";
import type { Reference } from "./fill-template.ts";

/** One of an eval's `testing_criteria`, ready to create a check for each row. */
export interface Grader {
  readonly name: string;
  readonly context: ItemContext;
  readonly grade: (row: GradedRow) => GraderOutcome;
}

export interface GradedRow {
  readonly item: JsonRecord;
  /** The row's field that graders read as the reply, if they do not read a sample. */
  readonly reply: Reference | undefined;
}

/** A grader's check for one row, or the reason why there is none. */
export interface GraderOutcome {
  readonly check?: object;
  /** The reference reply. */
  readonly reference?: string | undefined;
  /** The reason why no row gets this check. */
  readonly lost?: string;
  /** The grader as data, if no check is equivalent. */
  readonly listed?: UnmappedCheckDraft;
  /** The reason why this row gets none. */
  readonly absent?: string;
}

export type NamedGrader = Pick<Grader, "name" | "context">;

/** Notes a grader that cannot become a check. */
export function dropGrader(why: string, { name, context }: NamedGrader): [] {
  context.collector.note("dropped", context.place, `grader ${JSON.stringify(name)} ${why}`);
  return [];
}

export const missingFields = (missing: readonly string[]): string =>
  `reads ${missing.join(", ")}, which this row does not have`;
