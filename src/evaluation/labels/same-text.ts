import type { WordCounts } from "../text/count-words.ts";
import { distanceWithin } from "../text/distance-within.ts";
import { prepareText, type PreparedText } from "../text/prepare-text.ts";
import { createVocabulary, type Vocabulary } from "../text/vocabulary.ts";
import type { LabelCandidate } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type LabelQuestion } from "./labels.ts";

/** A text of this many words may differ in one of them and still be nearly the same. */
const wordsPerDifference = 20;
/** A reply longer than this, and this many times as long as every labelled text, is none of them: its words need not be counted. */
const longReply = 20_000;
const timesAsLong = 4;
/** A reply of more words is the same to the last one, or is not looked at: counting the differences takes time by the words and by them. */
const mostWords = 5_000;
/** Examples of a label that are looked at for a text that is nearly, not wholly, the same. */
const maximumExamples = 10;

interface Labelled {
  readonly label: string;
  readonly text: PreparedText;
}

/**
 * The label of a reference reply that is the same text as the reply, its own reference included: who says word for word what
 * was labelled has earned the label. Null when no labelled text is (nearly) the same; `unknown` when the same text carries
 * different labels.
 */
export function createSameText(
  candidates: ReadonlyMap<string, LabelCandidate>,
): (question: LabelQuestion) => LabelAnswer | null {
  const labelsOf = new Map<string, Set<string>>();
  const near: Labelled[] = [];
  let longest = 0;
  const vocabulary = createVocabulary();
  for (const { label, examples } of candidates.values()) {
    for (const [index, example] of examples.entries()) {
      const text = prepareText(example.text);
      longest = Math.max(longest, example.text.length);
      const labels = labelsOf.get(text.words) ?? new Set<string>();
      labelsOf.set(text.words, labels.add(label));
      if (index < maximumExamples) near.push({ label, text });
    }
  }

  return ({ reply, own }) => {
    if (reply.raw.length > Math.max(longReply, timesAsLong * longest)) return null;
    const same = labelsOf.get(reply.words);
    if (same) return toAnswer(same, "same text as a labelled reference", 1);
    if (reply.tokens.length < wordsPerDifference || reply.tokens.length > mostWords) return null;
    const owned = own.references.flatMap((text) =>
      [...(labelsOf.get(text.words) ?? [])].map((label): Labelled => ({ label, text })),
    );
    const nearest = nearestLabels(reply, [...owned, ...near], vocabulary);
    return nearest && toAnswer(nearest, "nearly the same text as a labelled reference", 0.95);
  };
}

function nearestLabels(reply: PreparedText, examples: readonly Labelled[], vocabulary: Vocabulary): Set<string> | null {
  let fewest = Math.floor(reply.tokens.length / wordsPerDifference);
  let labels: Set<string> | null = null;
  for (const { label, text } of examples) {
    if (Math.abs(text.tokens.length - reply.tokens.length) > fewest) continue;
    if (hasMoreSurplus(reply.counts, text.counts, fewest)) continue;
    const { distance: differences } = distanceWithin(fewest, vocabulary.pair(reply, text));
    if (differences === null) continue;
    labels = labels && differences === fewest ? labels.add(label) : new Set([label]);
    fewest = differences;
  }
  return labels;
}

/** Words that the other text has less often: each is a difference, so most texts need no closer look, and few of their words. */
function hasMoreSurplus(counts: WordCounts, other: WordCounts, limit: number): boolean {
  let sum = 0;
  for (const [word, count] of counts) {
    sum += Math.max(0, count - (other.get(word) ?? 0));
    if (sum > limit) return true;
  }
  return false;
}

function toAnswer(labels: ReadonlySet<string>, method: string, confidence: number): LabelAnswer {
  const [label = unknownLabel, ...others] = labels;
  if (others.length > 0)
    return { value: unknownLabel, method: `${method}, under ${labels.size} labels`, confidence: 0 };
  return { value: label, method, confidence };
}
