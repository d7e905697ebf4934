import { loadOnce } from "../../base/load-once.ts";
import type { LabelRule } from "../../scoring/scorers/label-rule.ts";
import { tokenize } from "../../scoring/text/tokenize.ts";
import { createExampleTexts, nextMacrotask } from "./example-texts.ts";
import { isEnglish, isForeign } from "./is-english.ts";
import { mergeAliases, type LabelCandidates, type MergedLabel } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type Labeller, type LabelQuestion } from "./labels.ts";
import { createNearestLabel } from "./nearest-label.ts";
import { createSameText, createWordDifferences } from "./same-text.ts";

/** Preparing this many keys takes some 10 ms. */
const keysPerYield = 8;

/**
 * The labeller that needs no model. A reply equal to a labelled reference gets its label. Otherwise keys with sentiment labels
 * use a sentiment lexicon, and other keys the most similar candidate. It is a weak labeller: labels of the endpoint take
 * precedence. `candidates` are those of the whole batch; aliases under a key's rule are one label.
 */
export function createLocalLabeller({
  candidates,
  label_rules = {},
}: {
  candidates: LabelCandidates;
  label_rules?: Readonly<Record<string, LabelRule>> | undefined;
}): Labeller {
  const joined = new Map<string, ReadonlyMap<string, MergedLabel>>();
  const texts = createExampleTexts(candidates);
  const differences = createWordDifferences();
  const nearest = new Map<string, (question: LabelQuestion) => LabelAnswer>();
  const sameTexts = new Map<string, (question: LabelQuestion) => LabelAnswer | null>();
  let reading: Promise<void> | undefined;

  function labelsOf(key: string): ReadonlyMap<string, MergedLabel> | undefined {
    const known = joined.get(key);
    const labels = candidates.get(key);
    if (known || !labels) return known;
    const own = mergeAliases(labels, label_rules[key]?.aliases);
    joined.set(key, own);
    return own;
  }

  return async (question) => {
    const labels = labelsOf(question.key);
    if (!labels) return null;
    if (question.reply.raw.trim() === "") return { value: unknownLabel, method: "empty reply", confidence: 1 };

    await (reading ??= texts.readWords());
    if (!sameTexts.has(question.key) && sameTexts.size % keysPerYield === 0) await nextMacrotask();
    const sameText = sameTexts.get(question.key) ?? createSameText(labels, { texts, differences });
    sameTexts.set(question.key, sameText);
    const same = sameText(question);
    if (same) return same;

    if ([...labels.keys()].every((label) => sentimentLabels.has(label))) {
      const answer = sentimentLabel(question.reply.raw, {
        readSentiment: await loadSentimentReader(),
        mixed: labels.has("mixed"),
      });
      return { ...answer, value: labels.get(answer.value)?.label ?? answer.value };
    }
    const label = nearest.get(question.key) ?? createNearestLabel(labels, texts);
    nearest.set(question.key, label);
    return label(question);
  };
}

const sentimentLabels: ReadonlySet<string> = new Set(["positive", "negative", "neutral", "mixed"]);

/** Mean sentence sentiment of a positive or negative text. Tuned on support replies (see the test). */
const threshold = 0.15;
/** Sentiment of a positive and of a negative sentence in a mixed text. */
const mixedThreshold = 0.25;
const maximumConfidence = 0.9;
/** Characters read: the lexicon is slow, and the tone rarely changes later. */
const maximumLength = 6_000;
/** Longer than any word: URLs or generated text. The lexicon takes minutes for a thousand such letters. */
const overlongWord = /\S{61,}/gu;
const method = "sentiment lexicon";

/** Polite or technical phrases that the lexicon rates as positive. */
const neutralPhrases = /\bplease\b|\b(?:would|do|if) you(?:'d)? like\b|\blike to\b|\bworking (?:days?|hours?)\b/giu;
/** A contrasting clause is rated as a sentence of its own. */
const contrastingClauses = /[,;]?(?<!\s)\s+(?:but|however|although|though|yet)\b,?/giu;

/** The sentiment of an English text: positive, negative, neutral or, if allowed, mixed. Other languages are `unknown` and unreadable. */
export function sentimentLabel(
  text: string,
  { readSentiment, mixed }: { readSentiment: SentimentReader; mixed: boolean },
): LabelAnswer {
  const start = text.slice(0, maximumLength);
  const words = start.replace(overlongWord, " ").replace(neutralPhrases, " ").replace(contrastingClauses, ". ");
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

/** Words of other languages look like English ones ("die", "war"), so the lexicon must not rate foreign texts. */
function isReadable(words: readonly string[], sentences: readonly number[]): boolean {
  return isEnglish(words) || (sentences.some((value) => value !== 0) && !isForeign(words));
}

function confidenceAt(distance: number): number {
  return Math.min(maximumConfidence, 0.5 + distance);
}

/** The sentiment of each sentence of an English text, -1..1. */
type SentimentReader = (text: string) => readonly number[];

/** Loaded on first use: the lexicon takes about 0.2 s and 5 MB. */
export const loadSentimentReader = loadOnce(createReader);

async function createReader(): Promise<SentimentReader> {
  const [{ default: winkNLP }, { default: model }] = await Promise.all([
    import("wink-nlp"),
    import("wink-eng-lite-web-model"),
  ]);
  const { readDoc, its } = winkNLP(model, ["sbd", "negation", "sentiment"]);
  return (text) => readDoc(text).sentences().out(its.sentiment) as unknown as number[];
}
