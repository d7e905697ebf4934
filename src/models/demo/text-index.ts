import { normalizeNfkc } from "../../base/text.ts";

/** A searchable entry. */
interface Indexed {
  readonly id: string;
  readonly phrases: readonly string[];
}

interface Match {
  readonly id: string;
  /** 0 for nothing in common to 1 for the same words. */
  readonly score: number;
}

interface TextIndex {
  /** Every entry, best first. `context` counts half: it completes a short follow-up. */
  search(text: string, context?: string): Match[];
}

type Weights = Map<string, number>;

const fillers = new Set(
  `a about am an and any are as at be but by can could did do does for from had has have how i id if im in is it its ive just
  let like me my need of on or our please should so some that the them then there these they this those to us want was we what
  which who will with would you your`.split(/\s+/),
);
const trigramShare = 0.35;

/** Ranks entries by the words and letter groups that they share with a text; rare ones count more. */
export function createTextIndex(entries: readonly Indexed[]): TextIndex {
  // Built by the first search: most commands import the demo and never ask it.
  let built: ReturnType<typeof build> | null = null;

  function build() {
    const phrases = entries.flatMap(({ id, phrases: texts }) => texts.map((text) => ({ id, counts: features(text) })));
    const rarity = rarityOf(phrases.map(({ counts }) => counts));
    return { rarity, vectors: phrases.map(({ id, counts }) => ({ id, vector: weigh(counts, rarity) })) };
  }

  return {
    search(text, context) {
      const { rarity, vectors } = (built ??= build());
      const query = unit(weigh(features(text), rarity));
      if (context !== undefined) addHalf(query, unit(weigh(features(context), rarity)));
      const best = new Map(entries.map(({ id }) => [id, 0]));
      for (const { id, vector } of vectors) best.set(id, Math.max(best.get(id) ?? 0, cosineOfTerms(query, vector)));
      return [...best].map(([id, score]) => ({ id, score })).toSorted((left, right) => right.score - left.score);
    },
  };
}

/** Meaningful words in lower case, without plural and verb endings. A text of stop words only, such as "Who are you?", stays whole. */
export function contentWords(text: string): string[] {
  const words =
    normalizeNfkc(text)
      .toLowerCase()
      .replaceAll(/[’']/g, "")
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const meaningful = words.filter((word) => !fillers.has(word));
  const kept = meaningful.length > 0 ? meaningful : words;
  return kept.map((word) => word.replace(/(?<=.{3})(?:ing|ies|ed|es|s)$/, ""));
}

function features(text: string): Weights {
  const counts: Weights = new Map();
  const add = (feature: string, amount: number) => counts.set(feature, (counts.get(feature) ?? 0) + amount);
  for (const word of contentWords(text)) {
    add(word, 1);
    const padded = ` ${word} `;
    for (let start = 0; start + 3 <= padded.length; start += 1) add(`~${padded.slice(start, start + 3)}`, trigramShare);
  }
  return counts;
}

function rarityOf(documents: readonly Weights[]): (feature: string) => number {
  const seen: Weights = new Map();
  for (const feature of documents.flatMap((document) => [...document.keys()])) {
    seen.set(feature, (seen.get(feature) ?? 0) + 1);
  }
  return (feature) => Math.log(1 + documents.length / (1 + (seen.get(feature) ?? 0)));
}

function weigh(counts: Weights, rarity: (feature: string) => number): Weights {
  return new Map([...counts].map(([feature, count]) => [feature, count * rarity(feature)]));
}

function addHalf(target: Weights, other: Weights): void {
  for (const [feature, weight] of other) target.set(feature, (target.get(feature) ?? 0) + weight / 2);
}

function cosineOfTerms(left: Weights, right: Weights): number {
  let product = 0;
  for (const [feature, weight] of right) product += weight * (left.get(feature) ?? 0);
  return product === 0 ? 0 : product / (length(left) * length(right));
}

function unit(vector: Weights): Weights {
  const whole = length(vector) || 1;
  return new Map([...vector].map(([feature, weight]) => [feature, weight / whole]));
}

function length(vector: Weights): number {
  return Math.sqrt(vector.values().reduce((sum, weight) => sum + weight * weight, 0));
}
