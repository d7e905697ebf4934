import { shorten } from "../../base/format.ts";
import { defineScorer } from "./define-scorer.ts";

/** 1 when reply and reference have the same words in the same order, ignoring case, punctuation and white space. */
export const exactMatch = defineScorer({
  name: "exact_match",
  help: "the same words",
  byDefault: true,
  needs: ["reference"],
  similarity: true,
  binary: true,
  replyRank: 8,
  compare: ({ reply, reference }) => {
    const at = firstDifference(reply.tokens, reference.tokens);
    if (at === null) return { value: 1, reason: "the same words in the same order" };
    return {
      value: 0,
      reason: `differs at word ${at + 1}: ${quote(reply.tokens[at])}, expected ${quote(reference.tokens[at])}`,
    };
  },
});

function firstDifference(left: readonly string[], right: readonly string[]): number | null {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return index;
  return null;
}

function quote(token: string | undefined): string {
  return token === undefined ? "the end" : `"${shorten(token)}"`;
}
