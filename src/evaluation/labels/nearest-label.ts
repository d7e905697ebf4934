import { commonLabels, type CommonLabel } from "./common-labels.ts";
import { isEnglish } from "../text/is-english.ts";
import { prepareText, type PreparedText } from "../text/prepare-text.ts";
import { longestCut, maximumExamples, type ExampleTexts } from "./example-texts.ts";
import { createBackground, createGramIndex, type Background, type GramIndex } from "./gram-index.ts";
import { gramsOf, gramsOfReply, type Gram, type GramCounts } from "./grams.ts";
import type { JoinedLabel } from "./join-labels.ts";
import type { LabelExample } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type LabelQuestion } from "./labels.ts";

/** Likeness the best label needs, and how far it must be ahead of the next. Chosen on support replies (see the test). */
const threshold = 0.2;
const margin = 0.02;
/** A label whose name is wholly in the reply ("refund" in "your refund is on its way") weighs like a reply this much alike. */
const nameWeight = 0.4;
/** Part of a name's grams that a text may hold by chance. */
const chanceOfName = 0.5;

/** Words of a label's name that say nothing about the reply. */
const emptyWords = /\b(?:request|inquiry|enquiry|query|intent)\b/gu;

/** A text that speaks for one label. `origin` is null for a typical reply that is not from the batch. */
interface Witness {
  readonly text: PreparedText;
  readonly origin: LabelExample | null;
}

interface Evidence {
  readonly label: string;
  readonly value: number;
  readonly method: string;
}

/**
 * Labels a reply with the candidate it is most like: by the reference replies that carry the label in this batch, by typical
 * replies for labels of that name, and by the label's own words. `unknown` when nothing is alike enough or two are equally alike.
 *
 * What keeps it honest: it is never told the expected label (a reply that is the same text as a labelled one does not get this
 * far). The reference of the very interaction it labels is left out when
 * the label has other examples, and always when the batch has one label only (else any reply like its reference would be
 * right with nothing to tell it from). Where each of several labels has a single example, the own one counts like the
 * others, because leaving it out would only speak against the right label; the method then says so.
 * Typical replies are English: of a reply in another language, where the batch has no example beside its own reference, `unknown` is
 * nothing to hold against it.
 */
export function createNearestLabel(
  candidates: ReadonlyMap<string, JoinedLabel>,
  texts: ExampleTexts,
): (question: LabelQuestion) => LabelAnswer {
  const labels = [...candidates.values()];
  const witnesses = labels.map((label) => witnessesOf(label, texts));
  const index = createGramIndex(
    witnesses.flat().map((witness) => witness.text),
    commonBackground(),
  );
  const names = labels.map((label) => label.names.map(nameGrams));
  const lone = labels.length === 1;
  const rivals = lone ? createRivals(labels.flatMap((label) => label.names)) : null;

  return (question) => {
    const grams = gramsOfReply(question.reply);
    const similarities = index.similarities(grams);
    let position = 0;
    let hasExamples = false;
    const evidence = labels.map(({ label }, at): Evidence => {
      const group = witnesses[at] ?? [];
      const ownCounts = !lone && group.every(({ origin }) => origin === null || isOwn(origin, question));
      let best: Evidence = { label, value: nameLikeness(names[at] ?? [], grams), method: "label name" };
      for (const { origin } of group) {
        const value = similarities[position++] ?? 0;
        if (origin && isOwn(origin, question) && !ownCounts) continue;
        hasExamples ||= origin !== null;
        if (value <= best.value) continue;
        best = { label, value, method: methodOf(origin, question) };
      }
      return best;
    });
    const answer = decide(rivals ? [...evidence, strongest(rivals.similarities(grams))] : evidence);
    if (answer.value !== unknownLabel || hasExamples || isEnglish(beginningOf(question.reply).tokens)) return answer;
    return { ...answer, method: "typical replies, which are English only", confidence: 0, unreadable: true };
  };
}

/** What a text shows of its language as well as all of it would. */
function beginningOf(text: PreparedText): PreparedText {
  return text.raw.length <= longestCut ? text : prepareText(text.raw.slice(0, longestCut));
}

function witnessesOf({ names, examples }: JoinedLabel, texts: ExampleTexts): Witness[] {
  return [
    ...examples.slice(0, maximumExamples).map((example) => ({ text: texts.start(example.text), origin: example })),
    ...commonLabels
      .filter((common) => names.some((name) => fits(common, name)))
      .flatMap(({ replies }) => replies.map((text) => ({ text: prepareText(text), origin: null }))),
  ];
}

function fits({ names }: CommonLabel, key: string): boolean {
  const words = new Set(key.split(" "));
  return names.some((name) => name.split(" ").every((word) => words.has(word)));
}

/** A lone candidate has nobody to lose against, so typical replies of other labels stand against it. */
function createRivals(keys: readonly string[]): GramIndex {
  const others = commonLabels.filter((common) => !keys.some((key) => fits(common, key)));
  return createGramIndex(repliesOf(others), commonBackground());
}

let background: Background | undefined;

/** The same for every key and every batch: made once. */
function commonBackground(): Background {
  return (background ??= createBackground(repliesOf(commonLabels)));
}

function repliesOf(labels: readonly CommonLabel[]): PreparedText[] {
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
  return [...gramsOf(prepareText(key.replace(emptyWords, "").trim() || key)).keys()];
}

/** How much of one of the label's names is in the reply, beyond what a text holds by chance. */
function nameLikeness(names: readonly (readonly Gram[])[], reply: GramCounts): number {
  const found = names.map((name) => name.filter((gram) => reply.has(gram)).length / Math.max(1, name.length));
  return nameWeight * Math.max(0, (Math.max(0, ...found) - chanceOfName) / (1 - chanceOfName));
}

function decide(evidence: readonly Evidence[]): LabelAnswer {
  const [best, next] = evidence.toSorted((left, right) => right.value - left.value);
  const lead = (best?.value ?? 0) - (next?.value ?? 0);
  if (!best || best.label === unknownLabel || best.value < threshold || lead < margin) {
    return { value: unknownLabel, method: "no label is near enough", confidence: 1 - (best?.value ?? 0) };
  }
  return { value: best.label, method: best.method, confidence: Math.min(0.9, best.value / 2 + lead) };
}
