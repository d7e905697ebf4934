import { prepareText, type PreparedText } from "../text/prepare-text.ts";
import type { WordCounts } from "../text/count-words.ts";

/** Three characters: a number when all are plain ASCII, which is quicker to look up, else their text. */
export type Gram = number | string;

/** How often a text has each 3-gram of its words. */
export type GramCounts = ReadonlyMap<Gram, number>;

/** Texts are read this far: later text adds grams that every long reply has. */
export const maximumLength = 4_000;
const space = 32;

/** The 3-grams of each word with its borders: `hi` gives " hi" and "hi ". */
export function gramsOf(text: PreparedText): GramCounts {
  const { counts } = text.raw.length <= maximumLength ? text : prepareText(text.raw.slice(0, maximumLength));
  return countGrams(counts);
}

const ofReplies = new WeakMap<PreparedText, GramCounts>();

/** The same of a reply, which is asked about for every key of its interaction: it is read once. */
export function gramsOfReply(reply: PreparedText): GramCounts {
  const known = ofReplies.get(reply);
  if (known) return known;
  const grams = gramsOf(reply);
  ofReplies.set(reply, grams);
  return grams;
}

function countGrams(words: WordCounts): GramCounts {
  const grams = new Map<Gram, number>();
  for (const [word, count] of words) {
    if (isPlain(word)) addPlain(grams, word, count);
    else addOther(grams, word, count);
  }
  return grams;
}

function isPlain(word: string): boolean {
  for (let index = 0; index < word.length; index++) if (word.charCodeAt(index) > 127) return false;
  return true;
}

function addPlain(grams: Map<Gram, number>, word: string, count: number): void {
  let before = space;
  let middle = word.charCodeAt(0);
  for (let index = 1; index <= word.length; index++) {
    const after = index < word.length ? word.charCodeAt(index) : space;
    add(grams, (before << 14) | (middle << 7) | after, count);
    before = middle;
    middle = after;
  }
}

function addOther(grams: Map<Gram, number>, word: string, count: number): void {
  const characters = Array.from(` ${word} `);
  for (let start = 0; start + 3 <= characters.length; start++) {
    const gram = characters.slice(start, start + 3);
    add(grams, gram.every(isPlain) ? toNumber(gram) : gram.join(""), count);
  }
}

function toNumber(gram: readonly string[]): number {
  return gram.reduce((number, character) => (number << 7) | character.charCodeAt(0), 0);
}

function add(grams: Map<Gram, number>, gram: Gram, count: number): void {
  grams.set(gram, (grams.get(gram) ?? 0) + count);
}
