import type { LabelRule } from "../../contract/schemas/evaluation-request.ts";
import { nextTurn } from "../next-turn.ts";
import { createExampleTexts } from "./example-texts.ts";
import { joinLabels, type JoinedLabel } from "./join-labels.ts";
import type { LabelCandidates } from "./label-candidates.ts";
import { unknownLabel, type LabelAnswer, type Labeller, type LabelQuestion } from "./labels.ts";
import { createNearestLabel } from "./nearest-label.ts";
import { loadSentimentReader } from "./read-sentiment.ts";
import { createSameText } from "./same-text.ts";
import { sentimentLabel, sentimentLabels } from "./sentiment-label.ts";
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
