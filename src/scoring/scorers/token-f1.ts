import { shortList } from "../../base/format.ts";
import { overlapF1, type WordCounts } from "../text/prepare-text.ts";
import { defineScorer } from "./define-scorer.ts";

/** F1 of the words both sides share, ignoring order and counting repetitions. Equal to ROUGE-1 F. */
export const tokenF1 = defineScorer({
  name: "token_f1",
  label: "token F1",
  help: "shared words",
  byDefault: true,
  needs: ["reference"],
  similarity: true,
  metric: true,
  replyRank: 6,
  compare: ({ reply, reference }) => {
    const missing = missingTokens(reply.counts, reference.tokens);
    const expected = reference.tokens.length;
    const shared = expected - missing.length;
    const words = expected === 1 ? "word" : "words";
    const found = `${shared} of ${expected} reference ${words} found among ${reply.tokens.length}`;
    return {
      value: overlapF1(shared, reply.tokens.length, expected),
      reason: missing.length > 0 ? `${found}; missing: ${shortList(missing)}` : found,
    };
  },
});

/** Expected tokens that the generated side lacks, or has fewer times. */
export function missingTokens(generated: WordCounts, expected: readonly string[]): string[] {
  const seen = new Map<string, number>();
  const missing: string[] = [];
  for (const token of expected) {
    const available = generated.get(token) ?? 0;
    const used = available === 0 ? 0 : (seen.get(token) ?? 0);
    if (used >= available) missing.push(token);
    else seen.set(token, used + 1);
  }
  return missing;
}
