import { shorten } from "../format.ts";
import { bestReference, type Scorer } from "./scorer.ts";

/** 1 when reply and reference have the same words in the same order, ignoring case, punctuation and white space. */
export function exactMatch(): Scorer {
  return bestReference("exact_match", ({ reply, reference }) => {
    const at = firstDifference(reply.tokens, reference.tokens);
    if (at === null) return { value: 1, reason: "the same words in the same order" };
    return {
      value: 0,
      reason: `differs at word ${at + 1}: ${quote(reply.tokens[at])}, expected ${quote(reference.tokens[at])}`,
    };
  });
}

function firstDifference(left: readonly string[], right: readonly string[]): number | null {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return index;
  return null;
}

function quote(token: string | undefined): string {
  return token === undefined ? "the end" : `"${shorten(token)}"`;
}
