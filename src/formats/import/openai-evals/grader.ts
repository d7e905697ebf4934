import type { JsonRecord } from "../../../base/json.ts";
import type { ItemContext } from "../../peer-item.ts";
import type { CheckDraft } from "../../scenario-draft.ts";
import type { Reference } from "./fill-template.ts";

/** One of the `testing_criteria` of an eval, ready to be made into a check of each row. */
export interface Grader {
  readonly name: string;
  readonly context: ItemContext;
  readonly grade: (row: GradedRow) => Outcome;
}

export interface GradedRow {
  readonly item: JsonRecord;
  /** The field of the row that the graders read as the reply, where they read no sample. */
  readonly reply: Reference | undefined;
}

/** The result of one grader for one row: a check, or why there is none. */
export interface Outcome {
  readonly check?: object;
  /** The text the reply should be like. */
  readonly reference?: string | undefined;
  /** Why no row has this check. */
  readonly lost?: string;
  /** The grader as data, where it is lost for want of a check like it. */
  readonly listed?: CheckDraft;
  /** Why this row has none. */
  readonly absent?: string;
}

/** A grader that is not read yet. */
export type Named = Pick<Grader, "name" | "context">;

/** Names a grader that no row can be checked by. */
export function lose(why: string, { name, context }: Named): [] {
  context.collector.note("dropped", context.place, `grader ${JSON.stringify(name)} ${why}`);
  return [];
}

/** Why a row has no check by a grader. */
export const withoutField = (missing: readonly string[]): string =>
  `reads ${missing.join(", ")}, which this row does not have`;
