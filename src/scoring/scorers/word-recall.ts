import { defineScorer } from "./define-scorer.ts";
import { bestReference } from "./scorer.ts";
import { missingTokens } from "./token-f1.ts";

/** Longer references are told apart better by their characters. */
export const shortReference = 5;

/**
 * Share of the reference's words that the reply contains, for turns whose references all have at most five words: "Paris" in a
 * whole sentence is as right as alone. Without a score where a reference is longer.
 */
export const wordRecall = defineScorer({
  name: "word_recall",
  help: "words of a short reference found",
  byDefault: true,
  needs: ["short_reference"],
  similarity: true,
  replyRank: 4,
  score: (input) => {
    const isShort = input.references.every(({ tokens }) => tokens.length > 0 && tokens.length <= shortReference);
    return input.references.length > 0 && isShort ? recall(input) : [];
  },
});

const recall = bestReference("word_recall", ({ reply, reference }) => {
  const missing = missingTokens(reply.counts, reference.tokens);
  const expected = reference.tokens.length;
  const found = `${expected - missing.length} of ${expected} reference ${expected === 1 ? "word" : "words"} found`;
  return {
    value: (expected - missing.length) / expected,
    reason: missing.length > 0 ? `${found}; missing: ${missing.join(", ")}` : found,
  };
});
