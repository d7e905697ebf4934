import type { PreparedText, WordCounts } from "../../scoring/text/prepare-text.ts";
import { boundedEditDistance } from "../../scoring/text/sequence-distance.ts";
import { createVocabulary } from "../../scoring/text/symbols.ts";
import { comparableWords, maximumTokenizedLength, maximumExamples, type ExampleTexts } from "./example-texts.ts";
import type { LabelCandidate } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type LabelQuestion } from "./labels.ts";

/** Nearly equal texts differ in at most one word per this many. */
const wordsPerDifference = 20;
/** A reply longer than this, and this many times longer than every labelled text, is not tokenized: it equals none of them. */
const longReply = 20_000;
const timesAsLong = 4;
/** How a reply was labelled that has exactly the words of a labelled reference. */
export const sameTextMethod = "same text as a labelled reference";
/** Longer replies are only compared for equality: counting differences takes too long. */
const maximumWords = 5_000;

interface LabelledText {
  readonly label: string;
  readonly text: PreparedText;
}

/**
 * The label of a reference reply that equals the reply, its own reference included. Null when no labelled text is (nearly) the
 * same; `unknown` when the same text carries different labels.
 */
export function createSameText(
  candidates: ReadonlyMap<string, LabelCandidate>,
  { texts, differences }: { readonly texts: ExampleTexts; readonly differences: WordDifferences },
): (question: LabelQuestion) => LabelAnswer | null {
  const labelsOf = new Map<string, Set<string>>();
  const near: LabelledText[] = [];
  let longest = 0;
  for (const { label, examples } of candidates.values()) {
    for (const [index, example] of examples.entries()) {
      longest = Math.max(longest, example.text.length);
      if (index < maximumExamples && example.text.length <= maximumTokenizedLength)
        near.push({ label, text: texts.whole(example.text) });
      const words = texts.words(example.text);
      const labels = labelsOf.get(words) ?? new Set<string>();
      labelsOf.set(words, labels.add(label));
    }
  }

  return ({ reply, own }) => {
    if (reply.raw.length > Math.max(longReply, timesAsLong * longest)) return null;
    const same = labelsOf.get(comparableWords(reply));
    if (same) return toLabelAnswer(same, sameTextMethod, 1);
    if (reply.raw.length > maximumTokenizedLength) return null;
    if (reply.tokens.length < wordsPerDifference || reply.tokens.length > maximumWords) return null;
    const owned = own.references.flatMap((text) =>
      [...(text.raw.length > maximumTokenizedLength ? [] : (labelsOf.get(text.words) ?? []))].map(
        (label): LabelledText => ({
          label,
          text,
        }),
      ),
    );
    const nearest = nearestLabels(reply, [...owned, ...near], differences);
    return nearest && toLabelAnswer(nearest, "nearly the same text as a labelled reference", 0.95);
  };
}

function nearestLabels(
  reply: PreparedText,
  examples: readonly LabelledText[],
  differences: WordDifferences,
): Set<string> | null {
  let fewest = Math.floor(reply.tokens.length / wordsPerDifference);
  let labels: Set<string> | null = null;
  for (const { label, text } of examples) {
    const found = differences(reply, text, fewest);
    if (found === null) continue;
    labels = labels && found === fewest ? labels.add(label) : new Set([label]);
    fewest = found;
  }
  return labels;
}

function toLabelAnswer(labels: ReadonlySet<string>, method: string, confidence: number): LabelAnswer {
  const [label = unknownLabel, ...others] = labels;
  if (others.length > 0)
    return { value: unknownLabel, method: `${method}, under ${labels.size} labels`, confidence: 0 };
  return { value: label, method, confidence };
}

/** The word-level edit distance of two texts; null above `most`. */
type WordDifferences = (reply: PreparedText, known: PreparedText, most: number) => number | null;

interface CachedDistance {
  readonly most: number;
  readonly differences: number | null;
}

/** Caches the distances of the last reply: it is labelled under many keys, mostly with the same examples. */
export function createWordDifferences(): WordDifferences {
  const vocabulary = createVocabulary();
  let last: { reply: PreparedText; distances: Map<PreparedText, CachedDistance> } | undefined;

  function count(reply: PreparedText, known: PreparedText, most: number): number | null {
    if (Math.abs(known.tokens.length - reply.tokens.length) > most) return null;
    if (exceedsLowerBound(reply.counts, known.counts, most)) return null;
    return boundedEditDistance(most, vocabulary.pair(reply, known)).distance;
  }

  return (reply, known, most) => {
    if (last?.reply !== reply) last = { reply, distances: new Map() };
    const before = last.distances.get(known);
    const isKnown = before && (before.differences !== null || most <= before.most);
    const differences = isKnown ? before.differences : count(reply, known, most);
    if (!isKnown) last.distances.set(known, { most, differences });
    return differences !== null && differences <= most ? differences : null;
  };
}

/** A lower bound of the distance, which rules out most texts after a few words. */
function exceedsLowerBound(counts: WordCounts, other: WordCounts, limit: number): boolean {
  let sum = 0;
  for (const [word, count] of counts) {
    sum += Math.max(0, count - (other.get(word) ?? 0));
    if (sum > limit) return true;
  }
  return false;
}
