import type { PreparedText } from "../text/prepare-text.ts";
import { gramsOf, type Gram, type GramCounts } from "./grams.ts";

/** Finds, for a text, how alike each indexed text is. */
export interface GramIndex {
  /** Cosine of weighted character 3-grams, 0..1, in the order the texts were given. */
  similarities(grams: GramCounts): Float64Array;
}

interface Entry {
  readonly weight: number;
  /** The indexed texts that have the gram, and how much it weighs in each. */
  readonly texts: number[];
  readonly shares: number[];
}

/**
 * Indexes texts by the character 3-grams of their words. Grams that many texts share weigh less.
 * `background` texts count for the weights only.
 */
export function createGramIndex(texts: readonly PreparedText[], background: readonly PreparedText[]): GramIndex {
  const counted = texts.map(gramsOf);
  const entries = createEntries([...counted, ...background.map(gramsOf)]);
  const unseen = Math.log(1 + texts.length + background.length);

  function lengthOf(counts: GramCounts): number {
    let sum = 0;
    for (const [gram, count] of counts) sum += count * (entries.get(gram)?.weight ?? unseen) ** 2;
    return Math.sqrt(sum);
  }

  counted.forEach((counts, text) => {
    const length = lengthOf(counts);
    for (const [gram, count] of counts) {
      const entry = entries.get(gram);
      entry?.texts.push(text);
      entry?.shares.push((Math.sqrt(count) * entry.weight) / length);
    }
  });

  return {
    similarities(grams) {
      const sums = new Float64Array(texts.length);
      let squares = 0;
      for (const [gram, count] of grams) {
        const entry = entries.get(gram);
        const weight = Math.sqrt(count) * (entry?.weight ?? unseen);
        squares += weight * weight;
        if (entry) addShares(sums, entry, weight);
      }
      const length = Math.sqrt(squares);
      return sums.map((sum) => (sum === 0 ? 0 : Math.min(1, sum / length)));
    },
  };
}

function addShares(sums: Float64Array, { texts, shares }: Entry, weight: number): void {
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] as number;
    sums[text] = (sums[text] as number) + weight * (shares[index] as number);
  }
}

function createEntries(texts: readonly GramCounts[]): ReadonlyMap<Gram, Entry> {
  const holders = new Map<Gram, number>();
  for (const text of texts) for (const gram of text.keys()) holders.set(gram, (holders.get(gram) ?? 0) + 1);
  return new Map(
    [...holders].map(([gram, count]) => [gram, { weight: Math.log(1 + texts.length / count), texts: [], shares: [] }]),
  );
}
