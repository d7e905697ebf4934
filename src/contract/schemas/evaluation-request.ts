import { z } from "zod";
import { isRecord } from "../../base/json.ts";
import { Budget, Gate } from "./budget.ts";
import { Rubric } from "./judge.ts";
import { Metadata, Scenario, ScenarioInput } from "./scenario.ts";
import { Choices, ScorerSetting } from "./scorer-setting.ts";

/** How the labels of one key are compared. */
export const LabelRule = z
  .object({
    aliases: z
      .record(z.string(), z.array(z.string()).max(100))
      .optional()
      .describe("Label → other spellings that count as it."),
    tolerance: z
      .number()
      .min(0)
      .optional()
      .describe("For numbers: 1 within it, else 0, in place of the usual nearness."),
    ignore: z.boolean().optional().describe("Labelled and shown, but not scored."),
  })
  .meta({ id: "LabelRule" });
export type LabelRule = z.infer<typeof LabelRule>;

/** Which of several runs is carried out first. */
export const Priority = z
  .int()
  .min(-100)
  .max(100)
  .describe(
    "Runs with a higher one are carried out before others, and so are their calls at an endpoint. What is under way is not broken off. Default 0.",
  );
export type Priority = z.infer<typeof Priority>;

const removedForm =
  "must be a whole number, such as 5: {min, max, ci_width} is no longer supported, because stopping at a narrow interval makes means too good";

export const AttemptCount = z
  .int({ error: ({ input }) => (isRecord(input) && "ci_width" in input ? removedForm : undefined) })
  .min(1)
  .describe("How often each scenario is run, at most 100 unless the operator allows more.");

/** Bounds of a run of an earlier version, in which a scenario ended once the interval of `overall` was narrow. */
export const AdaptiveAttempts = z
  .object({ min: z.int(), max: z.int(), ci_width: z.number() })
  .meta({ id: "AdaptiveAttempts" });
export type AdaptiveAttempts = z.infer<typeof AdaptiveAttempts>;

export const Protocol = z
  .enum(["openai-chat", "openai-responses", "anthropic-messages", "agent"])
  .meta({ id: "Protocol" });
export type Protocol = z.infer<typeof Protocol>;

export const Parameters = z
  .object({
    temperature: z.number().min(0).max(10).optional(),
    top_p: z.number().min(0).max(1).optional(),
    max_tokens: z.int().min(1).optional(),
    seed: z.int().optional(),
    stop: z.union([z.string(), z.array(z.string())]).optional(),
    extra: z
      .record(z.string(), z.json())
      .optional()
      .describe(
        "Merged into the body sent to the model. Which model is asked what, and whether it streams, is not to be set here: `model`, `messages` and `stream` are left out. With anthropic-messages: only what that API knows. With openai-responses: fields of chat completions are translated or left out.",
      ),
  })
  .meta({ id: "Parameters" });
export type Parameters = z.infer<typeof Parameters>;

/** Whose replies the model sees for the turns before. `both` runs every attempt each way and reports the gap. */
export const History = z.enum(["generated", "reference", "both"]).meta({ id: "History" });
export type History = z.infer<typeof History>;

/** Where a model that helps with scoring is. Left out: the one the operator has set. */
const helper = {
  endpoint: z.string().min(1).max(2048).optional().describe("Default: the operator's. Never the model under test."),
  model_id: z.string().min(1).max(512).optional(),
  protocol: Protocol.optional(),
};

/** A model that judges replies. Without a rubric it says whether the reply is right by the reference (`judge_correctness`). */
export const JudgeSettings = z
  .object({
    ...helper,
    rubric: z.string().min(1).max(20_000).optional().describe("One question, in place of the built-in one."),
    rubrics: z.array(Rubric).min(1).max(20).optional().describe("Several questions with weights."),
    scope: z
      .enum(["turn", "conversation"])
      .optional()
      .describe("Judge every reply (default), or each attempt's conversation as a whole."),
    votes: z.int().min(1).max(15).optional().describe("How often each question is asked. Default 1."),
    choices: Choices.optional(),
  })
  .meta({ id: "JudgeSettings" });
export type JudgeSettings = z.infer<typeof JudgeSettings>;

/** A model that labels replies under the keys of `reference_metadata`. */
export const LabellerSettings = z.object(helper).meta({ id: "LabellerSettings" });
export type LabellerSettings = z.infer<typeof LabellerSettings>;

const options = {
  endpoint: z.string().min(1).max(2048).describe("Base URL (…/v1) or full URL of the model endpoint under test."),
  model_id: z.string().min(1).max(512).describe("The model's name at the endpoint, sent as it is."),
  system_prompt: z.string().optional().describe("For every scenario that brings none of its own."),
  stream: z
    .boolean()
    .optional()
    .describe(
      "Asks for replies as streams, so that `first_token_ms` is known. Default: false, unless a latency check of the first token asks for it. An endpoint that cannot stream answers in one piece, and `first_token_ms` is null.",
    ),
  parameters: Parameters.optional().describe("Sent to the model with every call."),
  protocol: Protocol.default("openai-chat").describe("How the endpoint is spoken to."),
  on_failure: z.enum(["continue", "stop"]).default("continue").describe("What follows a failed turn."),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Attempts of this run at once. Default: `REHEARSAL_CONCURRENCY_PER_RUN`."),
  priority: Priority.optional(),
  tags: z.array(z.string()).default([]).describe("Kept with the run."),
  metadata: Metadata.default({}).describe("Kept with the run."),
  history: History.optional().describe("Whose earlier replies the model sees. Default: generated."),
  scorers: z
    .array(ScorerSetting)
    .max(50)
    .optional()
    .describe("Names choose the built-in scores (the default set when none is named); checks with options are added."),
  weights: z
    .record(z.string(), z.number().min(0).max(1_000))
    .optional()
    .describe("`overall` as the weighted mean of these scores, in place of its usual parts."),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("The `overall` from which a turn or attempt is good. Default 0.8."),
  judge: JudgeSettings.optional().describe("A model that scores replies; `{}` is the operator's."),
  labeller: LabellerSettings.optional().describe("A model that labels replies; `{}` is the operator's."),
  label_rules: z.record(z.string(), LabelRule).optional().describe("How the labels of a key are compared."),
  budget: Budget.optional().describe("Where the run stops; what was done is kept."),
  gate: Gate.optional().describe("What the run has to reach; the answer says whether it did."),
  replay_first_bad_turn: z
    .boolean()
    .optional()
    .describe("Runs every attempt again from its first bad turn with reference history; extra calls, reported apart."),
};

/** Body of POST /evaluate. */
export const EvaluationRequest = z
  .object({
    test_batch: z.union([ScenarioInput, z.array(ScenarioInput).min(1)]).describe("One scenario, or several."),
    test_name: z.string().optional().describe("Default: the id of the (first) scenario."),
    attempts: AttemptCount.default(1),
    ...options,
  })
  .meta({ id: "EvaluationRequest" });
export type EvaluationRequest = z.infer<typeof EvaluationRequest>;

/** The same as it is given back, for a run to be made again. Named apart, since only what is not at its default is in it. */
export const RepeatedRequest = z
  .record(z.string(), z.json())
  .meta({ id: "RepeatedRequest", description: "A body of POST /evaluate, without what stands at its default." });

/** What a run is asked to do, with every default filled in: this is stored with the run. */
export const EvaluationPlan = z
  .object({
    scenarios: z.array(Scenario),
    test_name: z.string(),
    attempts: AttemptCount,
    adaptive: AdaptiveAttempts.optional().describe("Only in runs of earlier versions; `attempts` is then its `max`."),
    ...options,
  })
  .meta({ id: "EvaluationPlan" });
export type EvaluationPlan = z.infer<typeof EvaluationPlan>;
/** The plan without its scenarios, which are stored one by one. */
export type RunSettings = Omit<EvaluationPlan, "scenarios">;

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
