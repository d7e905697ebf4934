import { prepareText, type PreparedText } from "../../scoring/text/prepare-text.ts";
import { maximumLength } from "./gram-index.ts";
import type { LabelCandidates, LabelExample } from "./label-candidates.ts";

/** Examples of a label that a reply is compared with; more add little. */
export const maximumExamples = 10;

/** Longer texts are compared by characters: tokenizing them would block the event loop. */
export const maximumTokenizedLength = 100_000;
/** Tokenizing this many characters takes some 10 ms, even for languages that need a dictionary. */
const charactersPerYield = 100_000;

/** Characters indexed by n-grams over all keys of a batch: each takes a few hundred bytes per key. */
const maximumCharacters = 1_000_000;

/** The reference replies of a batch, prepared once for all keys: there may be dozens of keys and megabytes of text. */
export interface ExampleTexts {
  /** See `comparableWords`. */
  words(text: string): string;
  /** Tokenizes all texts, yielding to the event loop in between. */
  readWords(): Promise<void>;
  /** The whole text, for comparison word by word. */
  whole(text: string): PreparedText;
  /** The beginning of the text, for n-grams. */
  start(text: string): PreparedText;
}

export function createExampleTexts(candidates: LabelCandidates): ExampleTexts {
  const words = new Map<string, string>();
  const wholes = new Map<string, PreparedText>();
  const length = indexedLength(candidates);

  function whole(text: string): PreparedText {
    const prepared = wholes.get(text) ?? prepareText(text);
    wholes.set(text, prepared);
    return prepared;
  }

  function wordsIn(text: string): string {
    const known = words.get(text) ?? comparableWords(wholes.get(text) ?? prepareText(text));
    words.set(text, known);
    return known;
  }

  async function readWords(): Promise<void> {
    let characters = 0;
    for (const { text } of examplesOf(candidates)) {
      if (words.has(text)) continue;
      wordsIn(text);
      characters += text.length;
      if (characters < charactersPerYield) continue;
      await nextMacrotask();
      characters = 0;
    }
  }

  return {
    words: wordsIn,
    readWords,
    whole,
    start: (text) => (text.length <= length ? whole(text) : prepareText(text.slice(0, length))),
  };
}

/** Equal for texts of the same words; very long texts are compared by characters. */
export function comparableWords(text: PreparedText): string {
  return text.raw.length > maximumTokenizedLength ? text.raw.trim() : text.words;
}

function* examplesOf(candidates: LabelCandidates): Iterable<LabelExample> {
  for (const labels of candidates.values()) for (const { examples } of labels.values()) yield* examples;
}

/** The length read of each example: halved until the total is within the limit. */
function indexedLength(candidates: LabelCandidates): number {
  const lengths = [...candidates.values()].flatMap((labels) =>
    [...labels.values()].flatMap(({ examples }) => examples.slice(0, maximumExamples).map(({ text }) => text.length)),
  );
  let length = maximumLength;
  const exceedsLimit = () => lengths.reduce((sum, full) => sum + Math.min(full, length), 0) > maximumCharacters;
  while (exceedsLimit()) length = Math.floor(length / 2);
  return length;
}

/** Lets timers and I/O proceed, which awaiting a resolved promise does not. */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve));
}
