import type { WordCounts } from "../text/count-words.ts";
import { distanceWithin } from "../text/distance-within.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import { createVocabulary } from "../text/vocabulary.ts";

/** How many words two texts differ in; null: in more than `most`. */
export type WordDifferences = (reply: PreparedText, known: PreparedText, most: number) => number | null;

interface Counted {
  readonly most: number;
  readonly differences: number | null;
}

/** Counts them once for a reply that is asked about under many keys: most labelled texts carry a label under each of them. */
export function createWordDifferences(): WordDifferences {
  const vocabulary = createVocabulary();
  let last: { reply: PreparedText; counted: Map<PreparedText, Counted> } | undefined;

  function count(reply: PreparedText, known: PreparedText, most: number): number | null {
    if (Math.abs(known.tokens.length - reply.tokens.length) > most) return null;
    if (hasMoreSurplus(reply.counts, known.counts, most)) return null;
    return distanceWithin(most, vocabulary.pair(reply, known)).distance;
  }

  return (reply, known, most) => {
    if (last?.reply !== reply) last = { reply, counted: new Map() };
    const before = last.counted.get(known);
    const isKnown = before && (before.differences !== null || most <= before.most);
    const differences = isKnown ? before.differences : count(reply, known, most);
    if (!isKnown) last.counted.set(known, { most, differences });
    return differences !== null && differences <= most ? differences : null;
  };
}

/** Words that the other text has less often: each is a difference, so most texts need no closer look, and few of their words. */
function hasMoreSurplus(counts: WordCounts, other: WordCounts, limit: number): boolean {
  let sum = 0;
  for (const [word, count] of counts) {
    sum += Math.max(0, count - (other.get(word) ?? 0));
    if (sum > limit) return true;
  }
  return false;
}
