import { tokenize } from "../text/tokenize.ts";

/** Finds, for a text, how alike each indexed text is. */
export interface GramIndex {
  /** Cosine of weighted character 3-grams, 0..1, in the order the texts were given. */
  similarities(text: string): Float64Array;
}

/** Replies are read this far: later text adds grams that every long reply has. */
const maximumLength = 4_000;

/**
 * Indexes texts by the character 3-grams of their words. Grams that many texts share weigh less.
 * `background` texts count for the weights only.
 */
export function createGramIndex(texts: readonly string[], background: readonly string[]): GramIndex {
  const counted = texts.map(grams);
  const weights = gramWeights([...counted, ...background.map(grams)]);
  const unseen = Math.log(1 + texts.length + background.length);
  const postings = new Map<string, { text: number; weight: number }[]>();
  counted.forEach((counts, index) => {
    for (const [gram, weight] of unitVector(counts, weights, unseen)) {
      const list = postings.get(gram);
      if (list) list.push({ text: index, weight });
      else postings.set(gram, [{ text: index, weight }]);
    }
  });

  return {
    similarities(text) {
      const sums = new Float64Array(texts.length);
      for (const [gram, weight] of unitVector(grams(text), weights, unseen)) {
        for (const posting of postings.get(gram) ?? []) {
          sums[posting.text] = (sums[posting.text] as number) + weight * posting.weight;
        }
      }
      return sums.map((sum) => Math.min(1, sum));
    },
  };
}

/** The 3-grams of each word with its borders: `hi` gives " hi" and "hi ". */
export function grams(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokenize(text.slice(0, maximumLength))) {
    const characters = Array.from(` ${token} `);
    for (let start = 0; start + 3 <= Math.max(3, characters.length); start++) {
      const gram = characters.slice(start, start + 3).join("");
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
  }
  return counts;
}

type GramCounts = ReadonlyMap<string, number>;

function gramWeights(texts: readonly GramCounts[]): Map<string, number> {
  const holders = new Map<string, number>();
  for (const text of texts) for (const gram of text.keys()) holders.set(gram, (holders.get(gram) ?? 0) + 1);
  return new Map([...holders].map(([gram, count]) => [gram, Math.log(1 + texts.length / count)]));
}

function unitVector(counts: GramCounts, weights: ReadonlyMap<string, number>, unseen: number): [string, number][] {
  const vector = [...counts].map(([gram, count]): [string, number] => [
    gram,
    Math.sqrt(count) * (weights.get(gram) ?? unseen),
  ]);
  const length = Math.sqrt(vector.reduce((sum, [, weight]) => sum + weight * weight, 0));
  return vector.map(([gram, weight]) => [gram, weight / length]);
}
