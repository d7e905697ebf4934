import { isEnglish, isForeign } from "../text/is-english.ts";
import { tokenize } from "../text/tokenize.ts";
import type { LabelAnswer } from "./labels.ts";
import { unknownLabel } from "./labels.ts";
import type { SentimentReader } from "./read-sentiment.ts";

export const sentimentLabels: ReadonlySet<string> = new Set(["positive", "negative", "neutral", "mixed"]);

/** Mean sentence sentiment from which a text counts as positive or negative. Chosen on support replies (see the test). */
const threshold = 0.15;
/** Sentiment a sentence must have on either side for the whole to be mixed. */
const mixedThreshold = 0.25;
const maximumConfidence = 0.9;
/** Longer replies are read this far: the lexicon takes time by the word, and the tone does not change after page one. */
const maximumLength = 6_000;
/** No word is so long: it is an address or what no person wrote. The lexicon takes minutes to find words in a thousand such letters. */
const noWord = /\S{61,}/gu;
const method = "sentiment lexicon";

/** Polite or technical turns of phrase that the lexicon takes for praise. */
const neutralPhrases = /\bplease\b|\b(?:would|do|if) you(?:'d)? like\b|\blike to\b|\bworking (?:days?|hours?)\b/giu;
/** A clause that turns round what was said before it is a sentence of its own here. */
const turningPoints = /[,;]?\s+(?:but|however|although|though|yet)\b,?/giu;

/** Which of positive, negative, neutral (and mixed, if it may be) an English text is. Other languages are `unknown`, and unreadable. */
export function sentimentLabel(
  text: string,
  { readSentiment, mixed }: { readSentiment: SentimentReader; mixed: boolean },
): LabelAnswer {
  const start = text.slice(0, maximumLength);
  const words = start.replace(noWord, " ").replace(neutralPhrases, " ").replace(turningPoints, ". ");
  const sentences = readSentiment(words);
  const score = sentences.reduce((sum, value) => sum + value, 0) / Math.max(1, sentences.length);
  if (!isReadable(tokenize(start), sentences))
    return { value: unknownLabel, method: `${method}, which knows English only`, confidence: 0, unreadable: true };

  const highest = Math.max(...sentences);
  const lowest = Math.min(...sentences);
  if (mixed && highest >= mixedThreshold && lowest <= -mixedThreshold) {
    return { value: "mixed", method, confidence: confidenceAt(Math.min(highest, -lowest) - mixedThreshold) };
  }
  const value = score >= threshold ? "positive" : score <= -threshold ? "negative" : "neutral";
  return { value, method, confidence: confidenceAt(Math.abs(Math.abs(score) - threshold)) };
}

/** Words of other languages look like English ones ("die", "war"): what the lexicon finds in such a text says nothing. */
function isReadable(words: readonly string[], sentences: readonly number[]): boolean {
  return isEnglish(words) || (sentences.some((value) => value !== 0) && !isForeign(words));
}

function confidenceAt(distance: number): number {
  return Math.min(maximumConfidence, 0.5 + distance);
}
