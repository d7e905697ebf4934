import type { JsonRecord } from "../../base/json.ts";
import type { ItemContext } from "../peer-item.ts";
import { scalarText } from "../records.ts";

/** True, and said, for a call that was made on the way to an answer, as Langfuse and Braintrust keep it beside what was asked. */
export function noteStep(row: JsonRecord, { collector, place }: Pick<ItemContext, "place" | "collector">): boolean {
  const textOf = (name: string): string => scalarText(row[name])?.toLowerCase() ?? "";
  const isSpan = "span_id" in row && textOf("is_root") === "false";
  if (!isSpan && textOf("parentObservationId") === "") return false;
  collector.note("dropped", place, "this is a step of a trace");
  return true;
}
