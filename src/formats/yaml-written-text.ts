import { isScalar, isSeq, visit, type Document, type Scalar } from "yaml";
import { roleNames, type ColumnRole } from "./column-mapping.ts";
import { losesDigits } from "./parse-exact-json.ts";
import { sameName } from "./records.ts";

const textRoles: readonly ColumnRole[] = [
  "scenario_id",
  "id",
  "user",
  "reference",
  "references",
  "system",
  "description",
  "tags",
  "agent_reply",
];
/** Fields that hold text: without quotes `007` and `1.10` are numbers to YAML, and text to whoever wrote them there. */
const textNames: ReadonlySet<string> = new Set(textRoles.flatMap((role) => roleNames[role].map(sameName)));

/** Puts back what was written where YAML made a number or a truth value of text, or lost digits of a long number. */
export function restoreWrittenText(document: Document): void {
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || typeof key.value !== "string" || !textNames.has(sameName(key.value))) return;
      for (const node of isSeq(value) ? value.items : [value]) if (isScalar(node)) restore(node);
    },
    Scalar(key, node) {
      if (key !== "key" && typeof node.value === "number" && losesDigits(node.value, node.source ?? "")) restore(node);
    },
  });
}

/** What is written as we would write it stays what it is: as text it is the same. */
function restore(node: Scalar): void {
  const { value, source } = node;
  if (typeof value !== "number" && typeof value !== "boolean") return;
  if (source !== undefined && source !== String(value)) node.value = source;
}
