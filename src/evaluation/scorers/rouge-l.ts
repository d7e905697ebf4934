import { longestCommonSubsequence } from "../text/longest-common-subsequence.ts";
import { toWordPair } from "../text/symbol-pair.ts";
import { bestReference } from "./best-reference.ts";
import { overlapF1 } from "./overlap.ts";
import { replyTooLong } from "./reply-too-long.ts";
import type { Scorer } from "./scorer.ts";

/** F1 of the longest run of words both sides have in the same order, gaps allowed (ROUGE-L, Lin 2004). */
export function rougeL(): Scorer {
  return bestReference("rouge_l", ({ reply, reference, references }) => {
    const generated = reply.tokens.length;
    const expected = reference.tokens.length;
    const isSame = generated === expected && reply.words === reference.words;
    const lengths = { reply: generated, reference: expected, references };
    const tooLong = isSame ? null : replyTooLong(lengths, "words");
    if (tooLong) return tooLong;

    const common = isSame ? expected : longestCommonSubsequence(toWordPair(reply.tokens, reference.tokens));
    const words = expected === 1 ? "word" : "words";
    return {
      value: overlapF1(common, generated, expected),
      reason: `${common} of ${expected} reference ${words} in the same order among ${generated}`,
    };
  });
}
