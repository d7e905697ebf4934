import type { JsonRecord } from "../../base/json.ts";
import { anyField } from "../records.ts";
import type { ItemContext } from "../peer-item.ts";

const tags = ["label", "kto_tag"];

/**
 * Data for KTO has a reply with each question and says whether it is a good one: TRL under `label`, LLaMA-Factory under `kto_tag`. One that
 * is not would be a bad reference. True, and told, where there is such a reply.
 */
export function isUndesired(item: unknown, { place, collector }: Pick<ItemContext, "place" | "collector">): boolean {
  if (anyField(item, ...tags) !== false) return false;
  collector.note("dropped", place, "a reply that is marked as undesired is no reference reply");
  return true;
}

/** An item without what says that of its reply. A label of another kind stays, to be named. */
export const untagged = (item: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(item).filter(([name, value]) => !tags.includes(name) || typeof value !== "boolean"),
  );
