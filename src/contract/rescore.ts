import { z } from "zod";
import { EvaluationRequest } from "./evaluation-request.ts";

const { test_batch, scorers, weights, threshold, judge, labeller, label_rules, gate } = EvaluationRequest.shape;

/** Body of POST /runs/{run_id}/rescore. */
export const RescoreRequest = z
  .object({
    ask_models: z.boolean().default(false).describe("Ask judge, labeller and embedder again; calls models."),
    test_batch: test_batch
      .optional()
      .describe(
        "What the run's scenarios expect now: references, labels and checks of the turns with the same ids. Their messages must be those the run sent; scenarios that are not given stay as they are.",
      ),
    scorers: scorers.nullable().describe("In place of the run's own, as in POST /evaluate. null: the default set."),
    weights: weights.nullable(),
    threshold: threshold.nullable(),
    judge: judge.nullable().describe("Another judge has to be asked, so `ask_models` must be true. null: none."),
    labeller: labeller.nullable().describe("Another labeller has to be asked too. null: none."),
    label_rules: label_rules.nullable(),
    gate: gate.nullable(),
  })
  .meta({ id: "RescoreRequest" });
export type RescoreRequest = z.infer<typeof RescoreRequest>;

/** What a run is scored by; the same in a stored run and in a request to score it again. */
export const scoringFields = [
  "scorers",
  "weights",
  "threshold",
  "judge",
  "labeller",
  "label_rules",
  "gate",
] as const satisfies readonly (keyof RescoreRequest)[];
