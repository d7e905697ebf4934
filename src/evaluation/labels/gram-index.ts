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
  /** How many of them are written. */
  written: number;
}

/** Texts that count for the weights only: how many there are, and how many of them have each gram. */
export interface Background {
  readonly size: number;
  readonly holders: ReadonlyMap<Gram, number>;
}

export function createBackground(texts: readonly PreparedText[]): Background {
  return { size: texts.length, holders: countHolders(texts.map(gramsOf)) };
}

/** Indexes texts by the character 3-grams of their words. Grams that many texts share weigh less. */
export function createGramIndex(texts: readonly PreparedText[], background: Background): GramIndex {
  const counted = texts.map(gramsOf);
  const total = texts.length + background.size;
  const weightOf = (holders: number): number => Math.log(1 + total / holders);
  const entries = new Map<Gram, Entry>(
    [...countHolders(counted)].map(([gram, count]) => {
      const weight = weightOf(count + (background.holders.get(gram) ?? 0));
      // As long as they will be: grown by pushing they would take several times the memory, and most hold one text.
      return [gram, { weight, texts: Array<number>(count), shares: Array<number>(count), written: 0 }];
    }),
  );

  function lengthOf(counts: GramCounts): number {
    let sum = 0;
    for (const [gram, count] of counts) sum += count * (entries.get(gram)?.weight ?? 0) ** 2;
    return Math.sqrt(sum);
  }

  counted.forEach((counts, text) => {
    const length = lengthOf(counts);
    for (const [gram, count] of counts) {
      const entry = entries.get(gram);
      if (!entry) continue;
      entry.texts[entry.written] = text;
      entry.shares[entry.written] = (Math.sqrt(count) * entry.weight) / length;
      entry.written += 1;
    }
  });

  return {
    similarities(grams) {
      const sums = new Float64Array(texts.length);
      let squares = 0;
      for (const [gram, count] of grams) {
        const entry = entries.get(gram);
        const weight = Math.sqrt(count) * (entry?.weight ?? weightOf(background.holders.get(gram) ?? 1));
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

/** How many of the texts have each gram. */
function countHolders(texts: readonly GramCounts[]): ReadonlyMap<Gram, number> {
  const holders = new Map<Gram, number>();
  for (const text of texts) for (const gram of text.keys()) holders.set(gram, (holders.get(gram) ?? 0) + 1);
  return holders;
}
