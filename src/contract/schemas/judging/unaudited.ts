import type { InteractionResult } from "../interaction-result.ts";

/** Stands beside every score of a judge that has not been audited. */
export const unauditedMark = "judge not audited";

type JudgedScores = Partial<Pick<InteractionResult, "judgements" | "scores" | "score_reasons">>;

/**
 * The scores of a reply, or of a conversation, that rest on a judge without an audit: its own, those of groups and rubrics that
 * contain them, and `overall` where one of them is part of it.
 */
export function unauditedScoresOf({
  judgements = {},
  scores = {},
  score_reasons = {},
}: JudgedScores): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [name, { judge_audited }] of Object.entries(judgements)) {
    if (judge_audited) continue;
    names.add(name);
    for (const kind of ["judge", "conversation"]) if (name.startsWith(`${kind}.`)) names.add(`${kind}_rubrics`);
    const group = name.slice(0, Math.max(0, name.indexOf(".")));
    if (Object.hasOwn(scores, group)) names.add(group);
  }
  const { overall: parts = "" } = score_reasons;
  if (Object.hasOwn(scores, "overall") && [...names].some((name) => isPartOf(parts, name))) names.add("overall");
  return names;
}

/** True when a score is named in the reason of `overall`, such as `reply 0.8 (judge_correctness) and judge_rubrics 1 × 2`. */
function isPartOf(reason: string, name: string): boolean {
  for (let at = reason.indexOf(name); at !== -1; at = reason.indexOf(name, at + 1)) {
    const before = reason.slice(0, at);
    const isStart = before === "" || ["(", ", ", " and "].some((mark) => before.endsWith(mark));
    const after = reason.charAt(at + name.length);
    if (isStart && [")", ",", " "].includes(after)) return true;
  }
  return false;
}
