import { z } from "zod";
import { formatFigure } from "../../base/numbers.ts";
import { chrf } from "../scorers/chrf.ts";
import { editSimilarity } from "../scorers/edit-similarity.ts";
import { bleu, gleu, rouge1 } from "../scorers/ngram-overlap.ts";
import { rougeL } from "../scorers/rouge-l.ts";
import type { ScorerResult } from "../scorers/scorer.ts";
import { tokenF1 } from "../scorers/token-f1.ts";
import { prepareText } from "../text/prepare-text.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck, isShort, quickLength } from "./define-check.ts";

const metrics = [tokenF1, rougeL, editSimilarity, chrf, rouge1, bleu, gleu] as const;
type Metric = (typeof metrics)[number]["name"] | "semantic";

const withoutEmbedder: ScorerResult = { value: null, reason: "unscored: there is no embedder (see docs/scoring.md)" };

/** The value of a scorer, or the cosine of the embeddings; with a threshold, 1 when it is reached. */
export const similarity = defineCheck({
  schema: z.object({
    type: z.literal("similarity"),
    ...checkFields,
    metric: z
      .enum([...metrics.map(({ name }) => name), "semantic"] as Metric[])
      .describe("`semantic` is the cosine of the embeddings; absent without an embedder."),
    reference: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(100)])
      .optional()
      .describe("Default: the reference replies; the best match counts."),
    threshold: z.number().gt(0).max(1).optional(),
  }),
  id: "SimilaritySetting",
  label: "Similar to text",
  help: "Similarity of the reply to a reference by a built-in score; with a threshold, 1 from the threshold on and 0 below.",
  form: {
    fresh: { metric: chrf.name, threshold: 0.7 },
    fields: {
      metric: {
        label: "Metric",
        choices: {
          ...Object.fromEntries(metrics.map(({ name, label = name.replaceAll("_", " ") }) => [name, label])),
          semantic: "embeddings",
        },
      },
      reference: { label: "Text to compare with", placeholder: "the reference reply", kind: "text" },
      threshold: { label: "Pass threshold", placeholder: "no threshold" },
    },
  },
  runs: ({ metric }) => (metric === "semantic" ? "model" : "thread"),
  needs: ({ metric, reference }) => [
    ...(reference === undefined ? (["reference"] as const) : []),
    ...(metric === "semantic" ? (["embedder"] as const) : []),
  ],
  compile({ metric, reference, threshold }) {
    const scorer = metrics.find(({ name }) => name === metric);
    const own = [reference ?? ""].flat().reduce((sum, text) => sum + text.length, 0);
    return {
      isQuick: (input) => own <= quickLength && isShort([input.reply, ...input.references]),
      check(input) {
        if (!scorer) return withoutEmbedder;
        // Prepared for each reply: caching it would keep the references of a thousand turns in memory.
        const references = reference === undefined ? input.references : [reference].flat().map(prepareText);
        const [measured] = scorer.score({ ...input, references });
        const { value = null, reason = "", failed } = measured ?? {};
        if (value === null) return failed ? { value, reason, failed } : { value, reason };
        return reaching(value, { detail: `${metric} ${formatFigure(value)} (${reason})`, threshold });
      },
    };
  },
  ask:
    ({ reference, threshold }, { semantic }) =>
    async (input, signal) => {
      if (!semantic) return withoutEmbedder;
      const references = reference === undefined ? input.references.map(({ raw }) => raw) : [reference].flat();
      const { score, details } = await semantic({ reply: input.reply.raw, references }, signal);
      const { value: measured, reason = "", failed } = score;
      if (!details) return failed ? { value: measured, reason, failed } : { value: measured, reason };
      const value = Math.max(0, details.cosine);
      return reaching(value, { detail: `cosine ${value.toFixed(3)} (${details.embedder})`, threshold });
    },
});

function reaching(
  value: number,
  { detail, threshold }: { detail: string; threshold: number | undefined },
): ScorerResult {
  if (threshold === undefined) return { value, reason: detail };
  return value >= threshold
    ? { value: 1, reason: detail }
    : { value: 0, reason: `${detail}, at least ${threshold} asked` };
}
