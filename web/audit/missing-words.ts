import { auditRule } from "../../src/evaluation/judges/judge-question.ts";
import { formatCount, formatInteger } from "../parts/format.ts";

/** What is still missing for an audit that can pass; undefined where nothing is. */
export function missingWords(chosen: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const choice of chosen) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  const items = auditRule.items - chosen.length;
  const others = auditRule.others - (chosen.length - Math.max(0, ...counts.values()));
  if (items > 0) return `At least ${formatCount(items, "more reply", "more replies")} to judge.`;
  if (others > 0)
    return `To pass a judge, ${formatInteger(auditRule.others)} replies must be of another choice than your most frequent one: ${formatInteger(others)} are missing.`;
  return undefined;
}
