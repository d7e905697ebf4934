import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import { nearestName } from "../base/text.ts";
import { toPointer } from "../base/json.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";

const mostWarnings = 20;

/** A rule for a key that no interaction expects changes nothing, which is most likely a slip of the pen. */
export function labelRuleWarnings(
  { label_rules = {} }: Pick<RunSettings, "label_rules">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  const unused = new Set(Object.keys(label_rules));
  if (unused.size === 0) return [];
  const expected = new Set<string>();
  for (const { interactions } of scenarios) {
    for (const { reference_metadata } of interactions) {
      for (const key of Object.keys(reference_metadata)) {
        expected.add(key);
        unused.delete(key);
      }
    }
  }
  const names = [...expected];
  return [...unused].slice(0, mostWarnings).map((key) => {
    const suggestion = nearestName(key, names);
    return {
      pointer: toPointer(["label_rules", key]),
      message: "changes nothing: no interaction expects a label under this key",
      ...(suggestion !== undefined && { suggestion }),
    };
  });
}
