import { overlapF1 } from "../text/prepare-text.ts";
import { longestCommonSubsequence } from "../text/sequence-distance.ts";
import { toWordPair } from "../text/symbols.ts";
import { defineScorer } from "./define-scorer.ts";
import { replyTooLong } from "./scorer.ts";

/** ROUGE-L (Lin 2004): F1 of the longest common subsequence of words. */
export const rougeL = defineScorer({
  name: "rouge_l",
  label: "ROUGE-L",
  help: "shared words in order",
  byDefault: true,
  needs: ["reference"],
  similarity: true,
  metric: true,
  replyRank: 6,
  compare: ({ reply, reference, references }) => {
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
  },
});
