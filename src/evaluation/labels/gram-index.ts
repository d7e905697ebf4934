import { prepareText, type PreparedText, type WordCounts } from "../../scoring/text/prepare-text.ts";

/** Three characters: a number when all are ASCII, which is faster to look up, else their text. */
export type Gram = number | string;

/** Occurrences of each 3-gram. */
export type GramCounts = ReadonlyMap<Gram, number>;

/** Characters read: later text adds grams that every long reply has. */
export const maximumLength = 4_000;
const space = 32;

/** The 3-grams of each word with its boundaries: `hi` gives " hi" and "hi ". */
export function gramsOf(text: PreparedText): GramCounts {
  const { counts } = text.raw.length <= maximumLength ? text : prepareText(text.raw.slice(0, maximumLength));
  return countGrams(counts);
}

const replyGrams = new WeakMap<PreparedText, GramCounts>();

/** {@link gramsOf}, cached: a reply is labelled for every key of its interaction. */
export function gramsOfReply(reply: PreparedText): GramCounts {
  const known = replyGrams.get(reply);
  if (known) return known;
  const grams = gramsOf(reply);
  replyGrams.set(reply, grams);
  return grams;
}

function countGrams(words: WordCounts): GramCounts {
  const grams = new Map<Gram, number>();
  for (const [word, count] of words) {
    if (isAscii(word)) addAsciiGrams(grams, word, count);
    else addUnicodeGrams(grams, word, count);
  }
  return grams;
}

function isAscii(word: string): boolean {
  for (let index = 0; index < word.length; index++) if (word.charCodeAt(index) > 127) return false;
  return true;
}

function addAsciiGrams(grams: Map<Gram, number>, word: string, count: number): void {
  let before = space;
  let middle = word.charCodeAt(0);
  for (let index = 1; index <= word.length; index++) {
    const after = index < word.length ? word.charCodeAt(index) : space;
    addGram(grams, (before << 14) | (middle << 7) | after, count);
    before = middle;
    middle = after;
  }
}

function addUnicodeGrams(grams: Map<Gram, number>, word: string, count: number): void {
  const characters = Array.from(` ${word} `);
  for (let start = 0; start + 3 <= characters.length; start++) {
    const gram = characters.slice(start, start + 3);
    addGram(grams, gram.every(isAscii) ? gramNumber(gram) : gram.join(""), count);
  }
}

function gramNumber(gram: readonly string[]): number {
  return gram.reduce((number, character) => (number << 7) | character.charCodeAt(0), 0);
}

function addGram(grams: Map<Gram, number>, gram: Gram, count: number): void {
  grams.set(gram, (grams.get(gram) ?? 0) + count);
}

/** Compares a text with every indexed text. */
export interface GramIndex {
  /** Cosine of weighted character 3-grams, 0..1, in the order the texts were given. */
  similarities(grams: GramCounts): Float64Array;
}

interface GramEntry {
  readonly weight: number;
  /** The indexed texts that have the gram, and its weight in each. */
  readonly texts: number[];
  readonly shares: number[];
  /** Entries filled so far. */
  written: number;
}

/** Document frequencies of texts that only contribute to the weights. */
export interface Background {
  readonly size: number;
  readonly frequencies: ReadonlyMap<Gram, number>;
}

export function createBackground(texts: readonly PreparedText[]): Background {
  return { size: texts.length, frequencies: countFrequencies(texts.map(gramsOf)) };
}

/** Indexes texts by the character 3-grams of their words, weighted by inverse document frequency. */
export function createGramIndex(texts: readonly PreparedText[], background: Background): GramIndex {
  const counted = texts.map(gramsOf);
  const total = texts.length + background.size;
  const weightOf = (frequency: number): number => Math.log(1 + total / frequency);
  const entries = new Map<Gram, GramEntry>(
    [...countFrequencies(counted)].map(([gram, count]) => {
      const weight = weightOf(count + (background.frequencies.get(gram) ?? 0));
      // Allocated at full size: arrays grown by pushing take several times the memory, and most hold one text.
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
        const weight = Math.sqrt(count) * (entry?.weight ?? weightOf(background.frequencies.get(gram) ?? 1));
        squares += weight * weight;
        if (entry) addShares(sums, entry, weight);
      }
      const length = Math.sqrt(squares);
      return sums.map((sum) => (sum === 0 ? 0 : Math.min(1, sum / length)));
    },
  };
}

function addShares(sums: Float64Array, { texts, shares }: GramEntry, weight: number): void {
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] as number;
    sums[text] = (sums[text] as number) + weight * (shares[index] as number);
  }
}

/** Document frequency of each gram. */
function countFrequencies(texts: readonly GramCounts[]): ReadonlyMap<Gram, number> {
  const frequencies = new Map<Gram, number>();
  for (const text of texts) for (const gram of text.keys()) frequencies.set(gram, (frequencies.get(gram) ?? 0) + 1);
  return frequencies;
}
