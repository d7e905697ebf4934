import { prepareText, type PreparedText } from "../../scoring/text/prepare-text.ts";
import { commonLabels, type CommonLabel } from "./common-labels.ts";
import { maximumTokenizedLength, maximumExamples, type ExampleTexts } from "./example-texts.ts";
import {
  createBackground,
  createGramIndex,
  gramsOf,
  gramsOfReply,
  type Background,
  type Gram,
  type GramCounts,
  type GramIndex,
} from "./gram-index.ts";
import { isEnglish } from "./is-english.ts";
import type { LabelExample, MergedLabel } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type LabelQuestion } from "./labels.ts";

/** Similarity required of the best label, and its lead over the next. Tuned on support replies (see the test). */
const threshold = 0.2;
const margin = 0.02;
/** Similarity of a reply that contains the whole name of a label ("refund" in "your refund is on its way"). */
const nameWeight = 0.4;
/** Share of a name's grams that a text contains by chance. */
const chanceOfName = 0.5;

/** Uninformative words in label names. */
const uninformativeWords = /\b(?:request|inquiry|enquiry|query|intent)\b/gu;

/** A text that exemplifies a label. `origin` is null for a typical reply from outside the batch. */
interface Exemplar {
  readonly text: PreparedText;
  readonly origin: LabelExample | null;
}

interface Evidence {
  readonly label: string;
  readonly value: number;
  readonly method: string;
}

/**
 * Labels a reply with the most similar candidate: by the reference replies that carry the label in this batch, by typical replies
 * for labels of that name, and by the words of the label. `unknown` when none is similar enough or two are equally similar.
 *
 * It never sees the expected label (replies equal to a labelled text are handled before). The reference of the labelled
 * interaction itself is excluded when its label has other examples, and always when the batch has a single label: then any
 * reply similar to its reference would be right. When each of several labels has one example, it counts like the others,
 * because excluding it would only disadvantage the right label; the method then says so.
 * Typical replies are English: for a reply in another language without examples in the batch, `unknown` is marked unreadable.
 */
export function createNearestLabel(
  candidates: ReadonlyMap<string, MergedLabel>,
  texts: ExampleTexts,
): (question: LabelQuestion) => LabelAnswer {
  const labels = [...candidates.values()];
  const exemplars = labels.map((label) => exemplarsOf(label, texts));
  const index = createGramIndex(
    exemplars.flat().map((exemplar) => exemplar.text),
    commonBackground(),
  );
  const names = labels.map((label) => label.names.map(nameGrams));
  const isSingle = labels.length === 1;
  const rivals = isSingle ? createRivals(labels.flatMap((label) => label.names)) : null;

  return (question) => {
    const grams = gramsOfReply(question.reply);
    const similarities = index.similarities(grams);
    let position = 0;
    let hasExamples = false;
    const evidence = labels.map(({ label }, at): Evidence => {
      const group = exemplars[at] ?? [];
      const includesOwn = !isSingle && group.every(({ origin }) => origin === null || isOwn(origin, question));
      let best: Evidence = { label, value: nameSimilarity(names[at] ?? [], grams), method: "label name" };
      for (const { origin } of group) {
        const value = similarities[position++] ?? 0;
        if (origin && isOwn(origin, question) && !includesOwn) continue;
        hasExamples ||= origin !== null;
        if (value <= best.value) continue;
        best = { label, value, method: methodOf(origin, question) };
      }
      return best;
    });
    const answer = decideLabel(rivals ? [...evidence, strongest(rivals.similarities(grams))] : evidence);
    if (answer.value !== unknownLabel || hasExamples || isEnglish(exampleBeginning(question.reply).tokens))
      return answer;
    return { ...answer, method: "typical replies, which are English only", confidence: 0, unreadable: true };
  };
}

/** The beginning suffices to recognize the language. */
function exampleBeginning(text: PreparedText): PreparedText {
  return text.raw.length <= maximumTokenizedLength ? text : prepareText(text.raw.slice(0, maximumTokenizedLength));
}

function exemplarsOf({ names, examples }: MergedLabel, texts: ExampleTexts): Exemplar[] {
  return [
    ...examples.slice(0, maximumExamples).map((example) => ({ text: texts.start(example.text), origin: example })),
    ...commonLabels
      .filter((common) => names.some((name) => fitsLabel(common, name)))
      .flatMap(({ replies }) => replies.map((text) => ({ text: prepareText(text), origin: null }))),
  ];
}

function fitsLabel({ names }: CommonLabel, key: string): boolean {
  const words = new Set(key.split(" "));
  return names.some((name) => name.split(" ").every((word) => words.has(word)));
}

/** A single candidate competes with typical replies of other labels. */
function createRivals(keys: readonly string[]): GramIndex {
  const others = commonLabels.filter((common) => !keys.some((key) => fitsLabel(common, key)));
  return createGramIndex(exampleReplies(others), commonBackground());
}

let background: Background | undefined;

/** Shared by all keys and batches. */
function commonBackground(): Background {
  return (background ??= createBackground(exampleReplies(commonLabels)));
}

function exampleReplies(labels: readonly CommonLabel[]): PreparedText[] {
  return labels.flatMap(({ replies }) => replies.map(prepareText));
}

function strongest(similarities: Float64Array): Evidence {
  return { label: unknownLabel, value: Math.max(0, ...similarities), method: "nearest typical reply" };
}

function isOwn(example: LabelExample, { own }: LabelQuestion): boolean {
  return example.interaction_id === own.interaction_id && own.references.some(({ raw }) => raw === example.text);
}

function methodOf(origin: LabelExample | null, question: LabelQuestion): string {
  if (origin === null) return "nearest typical reply";
  return isOwn(origin, question) ? "nearest reference reply (its own)" : "nearest reference reply";
}

function nameGrams(key: string): readonly Gram[] {
  return [...gramsOf(prepareText(key.replace(uninformativeWords, "").trim() || key)).keys()];
}

/** The share of a label's name found in the reply, beyond chance. */
function nameSimilarity(names: readonly (readonly Gram[])[], reply: GramCounts): number {
  const found = names.map((name) => name.filter((gram) => reply.has(gram)).length / Math.max(1, name.length));
  return nameWeight * Math.max(0, (Math.max(0, ...found) - chanceOfName) / (1 - chanceOfName));
}

function decideLabel(evidence: readonly Evidence[]): LabelAnswer {
  const [best, next] = evidence.toSorted((left, right) => right.value - left.value);
  const lead = (best?.value ?? 0) - (next?.value ?? 0);
  if (!best || best.label === unknownLabel || best.value < threshold || lead < margin) {
    return { value: unknownLabel, method: "no label is near enough", confidence: 1 - (best?.value ?? 0) };
  }
  return { value: best.label, method: best.method, confidence: Math.min(0.9, best.value / 2 + lead) };
}
