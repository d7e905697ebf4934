import { formatFigure } from "../../../base/numbers.ts";
import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { prepareText } from "../../../scoring/text/prepare-text.ts";
import { builtInScorers } from "../../../scoring/scorers/scores.ts";
import { bleu, gleu, rouge1 } from "../../../scoring/scorers/ngram-overlap.ts";
import type { SemanticScorer } from "../../../scoring/scorers/semantic-similarity.ts";
import type { ReplyCheck, Scorer, ScorerInput, ScorerResult } from "../../../scoring/scorers/scorer.ts";

type Setting = Extract<UserScorerSetting, { type: "similarity" }>;

const metrics: Readonly<Record<Exclude<Setting["metric"], "semantic">, Scorer>> = {
  token_f1: builtInScorers.token_f1,
  rouge_l: builtInScorers.rouge_l,
  edit_similarity: builtInScorers.edit_similarity,
  chrf: builtInScorers.chrf,
  rouge_1: rouge1.score,
  bleu: bleu.score,
  gleu: gleu.score,
};

/** The value of a built-in score; with a threshold, 1 when it is reached. */
export function similarityCheck({ metric, reference, threshold }: Setting): ReplyCheck {
  if (metric === "semantic") return () => withoutEmbedder;
  const score = metrics[metric];

  return (input) => {
    // Prepared for each reply: caching it would keep the references of a thousand turns in memory.
    const references = reference === undefined ? input.references : [reference].flat().map(prepareText);
    const [measured] = score({ ...input, references });
    const { value = null, reason = "", failed } = measured ?? {};
    if (value === null) return { value, reason, ...(failed && { failed }) };
    return reaching(value, { detail: `${metric} ${formatFigure(value)} (${reason})`, threshold });
  };
}

/** The cosine of the embeddings of reply and reference; with a threshold, 1 when it is reached. */
export function semanticCheck(
  { reference, threshold }: Setting,
  semantic: SemanticScorer | undefined,
): (input: ScorerInput, signal: AbortSignal) => Promise<ScorerResult> {
  return async (input, signal) => {
    if (!semantic) return withoutEmbedder;
    const references = reference === undefined ? input.references.map(({ raw }) => raw) : [reference].flat();
    const { score, details } = await semantic({ reply: input.reply.raw, references }, signal);
    if (!details) return { value: score.value, reason: score.reason ?? "", ...(score.failed && { failed: true }) };
    const value = Math.max(0, details.cosine);
    return reaching(value, { detail: `cosine ${value.toFixed(3)} (${details.embedder})`, threshold });
  };
}

const withoutEmbedder: ScorerResult = { value: null, reason: "unscored: there is no embedder (see docs/scoring.md)" };

function reaching(
  value: number,
  { detail, threshold }: { detail: string; threshold: number | undefined },
): ScorerResult {
  if (threshold === undefined) return { value, reason: detail };
  return value >= threshold
    ? { value: 1, reason: detail }
    : { value: 0, reason: `${detail}, at least ${threshold} asked` };
}
