import type { PreparedText } from "../text/prepare-text.ts";
import { longestCut, maximumExamples, wordsOf, type ExampleTexts } from "./example-texts.ts";
import type { LabelCandidate } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type LabelQuestion } from "./labels.ts";
import type { WordDifferences } from "./word-differences.ts";

/** A text of this many words may differ in one of them and still be nearly the same. */
const wordsPerDifference = 20;
/** A reply longer than this, and this many times as long as every labelled text, is none of them: its words need not be counted. */
const longReply = 20_000;
const timesAsLong = 4;
/** A reply of more words is the same to the last one, or is not looked at: counting the differences takes time by the words and by them. */
const mostWords = 5_000;

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
  { texts, differences }: { readonly texts: ExampleTexts; readonly differences: WordDifferences },
): (question: LabelQuestion) => LabelAnswer | null {
  const labelsOf = new Map<string, Set<string>>();
  const near: Labelled[] = [];
  let longest = 0;
  for (const { label, examples } of candidates.values()) {
    for (const [index, example] of examples.entries()) {
      longest = Math.max(longest, example.text.length);
      if (index < maximumExamples && example.text.length <= longestCut)
        near.push({ label, text: texts.whole(example.text) });
      const words = texts.words(example.text);
      const labels = labelsOf.get(words) ?? new Set<string>();
      labelsOf.set(words, labels.add(label));
    }
  }

  return ({ reply, own }) => {
    if (reply.raw.length > Math.max(longReply, timesAsLong * longest)) return null;
    const same = labelsOf.get(wordsOf(reply));
    if (same) return toAnswer(same, "same text as a labelled reference", 1);
    if (reply.raw.length > longestCut) return null;
    if (reply.tokens.length < wordsPerDifference || reply.tokens.length > mostWords) return null;
    const owned = own.references.flatMap((text) =>
      [...(text.raw.length > longestCut ? [] : (labelsOf.get(text.words) ?? []))].map((label): Labelled => ({
        label,
        text,
      })),
    );
    const nearest = nearestLabels(reply, [...owned, ...near], differences);
    return nearest && toAnswer(nearest, "nearly the same text as a labelled reference", 0.95);
  };
}

function nearestLabels(
  reply: PreparedText,
  examples: readonly Labelled[],
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

function toAnswer(labels: ReadonlySet<string>, method: string, confidence: number): LabelAnswer {
  const [label = unknownLabel, ...others] = labels;
  if (others.length > 0)
    return { value: unknownLabel, method: `${method}, under ${labels.size} labels`, confidence: 0 };
  return { value: label, method, confidence };
}
