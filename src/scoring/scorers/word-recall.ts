import { tokenize } from "../text/tokenize.ts";
import { defineScorer } from "./define-scorer.ts";
import { bestReference } from "./scorer.ts";
import { missingTokens } from "./token-f1.ts";

/** Longer references are told apart better by their characters. */
export const shortReference = 5;

const isShort = (words: number): boolean => words > 0 && words <= shortReference;

/** Characters of which a longer text has more words, whatever follows. */
const enough = 200;

/** True for a text that has at most five words. */
export function isShortReference(text: string): boolean {
  // Of a long text, most of the time its beginning tells.
  if (text.length > enough && tokenize(text.slice(0, enough)).length > 2 * shortReference) return false;
  return isShort(tokenize(text).length);
}

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
    const areShort = input.references.every(({ tokens }) => isShort(tokens.length));
    return input.references.length > 0 && areShort ? recall(input) : [];
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
