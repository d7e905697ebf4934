import { nextTurn } from "../next-turn.ts";
import { prepareText, type PreparedText } from "../text/prepare-text.ts";
import { maximumLength } from "./grams.ts";
import type { LabelCandidates, LabelExample } from "./label-candidates.ts";

/** Examples of a label that a reply is compared with: more add little. */
export const maximumExamples = 10;

/** Cutting a longer text into words would hold up everything else: it is known by its characters. */
export const longestCut = 100_000;
/** Cutting so many characters takes a few hundredths of a second where words are found in a dictionary. */
const charactersAtOnce = 100_000;

/** Characters whose grams are held over all keys of a batch: each takes some hundred bytes, for every key anew. */
const mostCharacters = 1_000_000;

/** The reference replies of a batch, made ready once for all keys: there may be dozens of keys, and megabytes of text. */
export interface ExampleTexts {
  /** The words of the text as one; see `wordsOf`. */
  words(text: string): string;
  /** Finds the words of all texts, and lets others have their turn meanwhile: there may be megabytes of them. */
  readWords(): Promise<void>;
  /** The text as a reply is compared with it word by word. */
  whole(text: string): PreparedText;
  /** As much of it as its grams are counted in. */
  start(text: string): PreparedText;
}

export function createExampleTexts(candidates: LabelCandidates): ExampleTexts {
  const words = new Map<string, string>();
  const wholes = new Map<string, PreparedText>();
  const length = lengthToRead(candidates);

  function whole(text: string): PreparedText {
    const prepared = wholes.get(text) ?? prepareText(text);
    wholes.set(text, prepared);
    return prepared;
  }

  function wordsIn(text: string): string {
    const known = words.get(text) ?? wordsOf(wholes.get(text) ?? prepareText(text));
    words.set(text, known);
    return known;
  }

  async function readWords(): Promise<void> {
    let characters = 0;
    for (const { text } of examplesOf(candidates)) {
      if (words.has(text)) continue;
      wordsIn(text);
      characters += text.length;
      if (characters < charactersAtOnce) continue;
      await nextTurn();
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

/** What two texts of the same words have in common, whatever stands between the words. */
export function wordsOf(text: PreparedText): string {
  return text.raw.length > longestCut ? text.raw.trim() : text.words;
}

function* examplesOf(candidates: LabelCandidates): Iterable<LabelExample> {
  for (const labels of candidates.values()) for (const { examples } of labels.values()) yield* examples;
}

/** As far as grams are counted anyway; half as far, and half again, until all examples together are not too much. */
function lengthToRead(candidates: LabelCandidates): number {
  const lengths = [...candidates.values()].flatMap((labels) =>
    [...labels.values()].flatMap(({ examples }) => examples.slice(0, maximumExamples).map(({ text }) => text.length)),
  );
  let length = maximumLength;
  const isTooMuch = () => lengths.reduce((sum, full) => sum + Math.min(full, length), 0) > mostCharacters;
  while (isTooMuch()) length = Math.floor(length / 2);
  return length;
}
