import { loadOnce } from "../../base/load-once.ts";
import type { LabelRule } from "../../contract/schemas/evaluation-request.ts";
import { nextTurn } from "../next-turn.ts";
import { isEnglish, isForeign } from "../text/is-english.ts";
import { tokenize } from "../text/tokenize.ts";
import { createExampleTexts } from "./example-texts.ts";
import { joinLabels, type JoinedLabel } from "./join-labels.ts";
import type { LabelCandidates } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type Labeller, type LabelQuestion } from "./labels.ts";
import { createNearestLabel } from "./nearest-label.ts";
import { createSameText } from "./same-text.ts";
import { createWordDifferences } from "./word-differences.ts";

/** Making so many keys ready takes some hundredths of a second. */
const keysAtOnce = 8;

/**
 * The labeller that needs no model. A reply that is the same text as a labelled reference has that label. Else a key whose labels
 * are all sentiments is read with a sentiment lexicon; any other key takes the candidate the reply is most like. It is a weak
 * judge: method and confidence say so, and what the endpoint says outranks it. `candidates` are those of the whole batch; labels that
 * are aliases of each other by the rule of their key are one.
 */
export function createLocalLabeller({
  candidates,
  label_rules = {},
}: {
  candidates: LabelCandidates;
  label_rules?: Readonly<Record<string, LabelRule>> | undefined;
}): Labeller {
  const joined = new Map<string, ReadonlyMap<string, JoinedLabel>>();
  const texts = createExampleTexts(candidates);
  const differences = createWordDifferences();
  const nearest = new Map<string, (question: LabelQuestion) => LabelAnswer>();
  const sameTexts = new Map<string, (question: LabelQuestion) => LabelAnswer | null>();
  let reading: Promise<void> | undefined;

  function labelsOf(key: string): ReadonlyMap<string, JoinedLabel> | undefined {
    const known = joined.get(key);
    const labels = candidates.get(key);
    if (known || !labels) return known;
    const own = joinLabels(labels, label_rules[key]?.aliases);
    joined.set(key, own);
    return own;
  }

  return async (question) => {
    const labels = labelsOf(question.key);
    if (!labels) return null;
    if (question.reply.raw.trim() === "") return { value: unknownLabel, method: "empty reply", confidence: 1 };

    await (reading ??= texts.readWords());
    if (!sameTexts.has(question.key) && sameTexts.size % keysAtOnce === 0) await nextTurn();
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

/** Reads the sentiment of each sentence of an English text, -1..1. */
type SentimentReader = (text: string) => readonly number[];

/** The lexicon takes about 0.2 s and 5 MB to load, so it is loaded once and only when a sentiment is asked for. */
export const loadSentimentReader = loadOnce(createReader);

async function createReader(): Promise<SentimentReader> {
  const [{ default: winkNLP }, { default: model }] = await Promise.all([
    import("wink-nlp"),
    import("wink-eng-lite-web-model"),
  ]);
  const { readDoc, its } = winkNLP(model, ["sbd", "negation", "sentiment"]);
  return (text) => readDoc(text).sentences().out(its.sentiment) as unknown as number[];
}
