import { editDistance } from "../text/edit-distance.ts";
import { tokenize } from "../text/tokenize.ts";
import type { LabelCandidate } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type LabelQuestion } from "./labels.ts";

/** A text of this many words may differ in one of them and still be nearly the same. */
const wordsPerDifference = 20;
/** Examples of a label that are looked at for a text that is nearly, not wholly, the same. */
const maximumExamples = 10;

type WordCounts = ReadonlyMap<string, number>;

interface Labelled {
  readonly label: string;
  readonly tokens: readonly string[];
  readonly counts: WordCounts;
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
  for (const { label, examples } of candidates.values()) {
    for (const [index, { text }] of examples.entries()) {
      const tokens = tokenize(text);
      const labels = labelsOf.get(tokens.join(" ")) ?? new Set<string>();
      labelsOf.set(tokens.join(" "), labels.add(label));
      if (index < maximumExamples) near.push({ label, tokens, counts: countWords(tokens) });
    }
  }

  return ({ reply, own }) => {
    const tokens = tokenize(reply);
    const same = labelsOf.get(tokens.join(" "));
    if (same) return toAnswer(same, "same text as a labelled reference", 1);
    if (tokens.length < wordsPerDifference) return null;
    const owned = own.references.flatMap((text): Labelled[] => {
      const ownTokens = tokenize(text);
      const counts = countWords(ownTokens);
      return [...(labelsOf.get(ownTokens.join(" ")) ?? [])].map((label) => ({ label, tokens: ownTokens, counts }));
    });
    const nearest = nearestLabels(tokens, [...owned, ...near]);
    return nearest && toAnswer(nearest, "nearly the same text as a labelled reference", 0.95);
  };
}

function countWords(tokens: readonly string[]): WordCounts {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** Words that the other text has less often: each of them is a difference, so most texts need no closer look. */
function surplus(counts: WordCounts, other: WordCounts): number {
  let sum = 0;
  for (const [word, count] of counts) sum += Math.max(0, count - (other.get(word) ?? 0));
  return sum;
}

function nearestLabels(tokens: readonly string[], texts: readonly Labelled[]): Set<string> | null {
  let fewest = Math.floor(tokens.length / wordsPerDifference);
  let labels: Set<string> | null = null;
  const counts = countWords(tokens);
  for (const text of texts) {
    if (Math.abs(text.tokens.length - tokens.length) > fewest || surplus(counts, text.counts) > fewest) continue;
    const differences = editDistance(tokens, text.tokens);
    if (differences > fewest) continue;
    labels = labels && differences === fewest ? labels.add(text.label) : new Set([text.label]);
    fewest = differences;
  }
  return labels;
}

function toAnswer(labels: ReadonlySet<string>, method: string, confidence: number): LabelAnswer {
  const [label = unknownLabel, ...others] = labels;
  if (others.length > 0)
    return { value: unknownLabel, method: `${method}, under ${labels.size} labels`, confidence: 0 };
  return { value: label, method, confidence };
}
