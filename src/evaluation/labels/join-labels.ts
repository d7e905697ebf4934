import type { LabelRule } from "../../contract/schemas/evaluation-request.ts";
import { canonicalKey } from "../scorers/match-value.ts";
import type { LabelCandidate, LabelExample } from "./label-candidates.ts";

/** A label with every example of it, however they spell it. */
export interface JoinedLabel extends LabelCandidate {
  /** The `labelKey` of each spelling that the batch uses. */
  readonly names: readonly string[];
}

/** The labels of one key, with those that are aliases of each other as one: a reply cannot be torn between them. Under their canonical keys. */
export function joinLabels(
  labels: ReadonlyMap<string, LabelCandidate>,
  aliases: LabelRule["aliases"],
): ReadonlyMap<string, JoinedLabel> {
  const joined = new Map<string, { label: string; examples: LabelExample[]; names: string[] }>();
  for (const [name, { label, examples }] of labels) {
    const key = canonicalKey(label, aliases);
    const known = joined.get(key) ?? { label, examples: [], names: [] };
    for (const example of examples) known.examples.push(example);
    known.names.push(name);
    joined.set(key, known);
  }
  return joined;
}
