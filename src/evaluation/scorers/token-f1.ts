import { bestReference } from "./best-reference.ts";
import { multisetOverlap, overlapF1 } from "./overlap.ts";
import type { Scorer } from "./scorer.ts";
import { shortList } from "./short-list.ts";

/** F1 of the words both sides share, order aside, each word as often as both have it. Equal to ROUGE-1 F. */
export function tokenF1(): Scorer {
  return bestReference("token_f1", ({ reply, reference }) => {
    const { shared, missing } = multisetOverlap(reply.counts, reference.tokens);
    const words = reference.tokens.length === 1 ? "word" : "words";
    const found = `${shared} of ${reference.tokens.length} reference ${words} found among ${reply.tokens.length}`;
    return {
      value: overlapF1(shared, reply.tokens.length, reference.tokens.length),
      reason: missing.length > 0 ? `${found}; missing: ${shortList(missing)}` : found,
    };
  });
}
