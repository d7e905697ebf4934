import { prepareText, type PreparedText } from "../text/prepare-text.ts";
import { maximumLength } from "./grams.ts";
import type { LabelCandidates } from "./label-candidates.ts";

/** Examples of a label that a reply is compared with: more add little. */
export const maximumExamples = 10;

/** Characters whose grams are held over all keys of a batch: each takes some hundred bytes, for every key anew. */
const mostCharacters = 1_000_000;

/** The reference replies of a batch, made ready once for all keys: there may be dozens of keys, and megabytes of text. */
export interface ExampleTexts {
  /** The words of the text as one. */
  words(text: string): string;
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

  return {
    words(text) {
      const known = words.get(text) ?? (wholes.get(text) ?? prepareText(text)).words;
      words.set(text, known);
      return known;
    },
    whole,
    start: (text) => (text.length <= length ? whole(text) : prepareText(text.slice(0, length))),
  };
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
