import { z } from "zod";
import { readyJudgeNames, readyJudges } from "../../scoring/judges/ready-judges.ts";
import { LabelRule } from "../../scoring/scorers/label-rule.ts";
import { protocolNames, protocols, type ProtocolName } from "../protocols/protocols.ts";
import { Budget, Gate } from "./budget.ts";
import { Rubric } from "./judging/judge.ts";
import { Metadata, Scenario, ScenarioInput } from "./scenario.ts";
import { Choices } from "../../scoring/checks/rubric.ts";
import { ScorerSetting } from "./scores/scorer-setting.ts";
import { DeclaredTarget, LocalTarget, SpanSettings, Target } from "./acting/target.ts";
import { ToolMatching } from "./acting/tool-call.ts";
import { World, WorldAddress } from "./acting/world.ts";

export const Priority = z
  .int()
  .min(-100)
  .max(100)
  .describe(
    "Runs with a higher priority, and their calls at an endpoint, go first. Running attempts are not interrupted. Default 0.",
  );
export type Priority = z.infer<typeof Priority>;

export const AttemptCount = z
  .int()
  .min(1)
  .describe("Number of times each scenario is run; at most 100, unless the operator allows more.");

/** Settings of runs of earlier versions, in which a scenario ended once the interval of `overall` was narrow enough. */
export const AdaptiveAttempts = z
  .object({ min: z.int(), max: z.int(), ci_width: z.number() })
  .meta({ id: "AdaptiveAttempts" });
export type AdaptiveAttempts = z.infer<typeof AdaptiveAttempts>;

/**
 * The protocol of an endpoint. `http`, `module` and `command` belong to targets and are set by them. With `recorded` nothing is
 * called: the replies are those that the request has in `agent_reply`.
 */
export const Protocol = z.enum(Object.keys(protocols) as ProtocolName[]).meta({ id: "Protocol" });
export type Protocol = z.infer<typeof Protocol>;

/** The protocols of models, and of an agent backend that serves models like one. */
export const ModelProtocol = z.enum(protocolNames("model", "backend")).meta({ id: "ModelProtocol" });
export type ModelProtocol = z.infer<typeof ModelProtocol>;

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
        "Merged into the request body sent to the model, without `model`, `messages` and `stream`. With `anthropic-messages`, only fields of that API are sent. With `openai-responses`, fields of chat completions are translated or dropped.",
      ),
  })
  .meta({ id: "Parameters" });
export type Parameters = z.infer<typeof Parameters>;

/** The other side of a run that stops when it is decided: a second model, a variant, an ended run, or a threshold. */
const Opponent = z
  .object({
    model_id: z.string().min(1).max(512).optional().describe("A second model: both run, scenario by scenario."),
    endpoint: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe("Endpoint of the second model. Default: that of the run."),
    protocol: Protocol.optional().describe("Protocol of the second model. Default: that of the run."),
    system_prompt: z.string().optional().describe("System prompt of the second model. Default: that of the run."),
    parameters: Parameters.optional().describe("Parameters of the second model. Default: those of the run."),
    variant: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("With `variants`: the one that the others are compared with. Default: the first."),
    run: z.string().min(1).max(200).optional().describe("Id of an ended run to compare with."),
    threshold: z.number().min(0).max(1).optional().describe("A value that the mean of the score is compared with."),
  })
  .superRefine(({ model_id, variant, run, threshold, ...ofModel }, context) => {
    const named = [model_id, variant, run, threshold].filter((value) => value !== undefined).length;
    if (named !== 1)
      context.addIssue({
        code: "custom",
        message: "must name one of model_id, variant, run and threshold to compare with",
      });
    const [field] = Object.entries(ofModel).find(([, value]) => value !== undefined) ?? [];
    if (named === 1 && model_id === undefined && field !== undefined)
      context.addIssue({ code: "custom", path: [field], message: "can only be given together with model_id" });
  })
  .meta({ id: "Opponent" });
type Opponent = z.infer<typeof Opponent>;

const untilForm =
  'must be "decided" ({min, max, ci_width} is no longer supported, because stopping at a narrow interval makes means too good)';

/** Runs scenarios in random order until the comparison is decided, the scenarios run out or the budget is spent. */
export const UntilDecided = z
  .object({
    until: z.literal("decided", { error: untilForm }),
    against: Opponent.optional().describe("Required unless the request has `variants`."),
    score: z
      .string()
      .min(1)
      .max(200)
      .default("overall")
      .describe("The score to decide by: any score of the run from 0 to 1, or `pass_rate`."),
    margin: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe("Also stops when the run is shown not to be worse by this margin."),
    each: AttemptCount.default(1).describe("Attempts of each scenario, on both sides."),
    seed: z.int().min(0).optional().describe("Decides the order of the scenarios. Default: chosen at random."),
  })
  .meta({ id: "UntilDecided" });
export type UntilDecided = z.infer<typeof UntilDecided>;

/** How a run takes part in a comparison that stops when it is decided. */
export const SequencePlan = UntilDecided.omit({ until: true, each: true })
  .extend({
    against: Opponent,
    seed: z.int().min(0),
    side: z.enum(["candidate", "baseline"]),
    opponent: z.string().optional().describe("Id of the run of the other side, if that runs at the same time."),
    rivals: z
      .array(z.string())
      .optional()
      .describe("With more than two variants: the ids of all their runs, in the order of the request."),
  })
  .meta({ id: "SequencePlan" });
export type SequencePlan = z.infer<typeof SequencePlan>;

/** The replies the model sees as history: its own or the references. `both` runs every attempt both ways and reports the gap. */
export const History = z.enum(["generated", "reference", "both"]).meta({ id: "History" });
export type History = z.infer<typeof History>;

/** For the API's description: an address that is not absolute has an error of its own. */
const httpUrlPattern = String.raw`^https?://(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:/[!-~]*)?$`;

/** A model that helps with scoring. Fields that are left out default to the operator's settings. */
const helper = {
  endpoint: z
    .string()
    .min(1)
    .max(2048)
    .meta({ pattern: httpUrlPattern })
    .optional()
    .describe("Default: the operator's endpoint, never the model under test."),
  model_id: z.string().min(1).max(512).optional(),
  protocol: ModelProtocol.optional(),
};

/** A model that judges replies. Without a rubric it judges whether the reply agrees with the reference (`judge_correctness`). */
export const JudgeSettings = z
  .object({
    ...helper,
    rubric: z.string().min(1).max(20_000).optional().describe("One question that replaces the built-in one."),
    rubrics: z.array(Rubric).min(1).max(20).optional().describe("Several questions with weights."),
    scope: z
      .enum(["turn", "conversation"])
      .optional()
      .describe("Judge every reply (default), or each attempt's conversation as a whole."),
    judges: z
      .array(z.enum(readyJudgeNames))
      .min(1)
      .max(readyJudgeNames.length)
      .optional()
      .describe(
        `Ready-made judges, by name; each gives \`judge.<name>\` or, for whole conversations, \`conversation.<name>\`: ${readyJudges
          .map(({ name, help }) => `\`${name}\` (${help})`)
          .join(", ")}.`,
      ),
    panel: z
      .array(z.object({ endpoint: helper.endpoint, model_id: z.string().min(1).max(512), protocol: helper.protocol }))
      .min(1)
      .max(4)
      .optional()
      .describe(
        "Further models that vote with the first one on every question. Endpoint and protocol default to its own.",
      ),
    max_characters: z
      .int()
      .min(2_000)
      .max(2_000_000)
      .optional()
      .describe(
        "Characters of material that the judge is shown; what matters least is shortened first, with a note. Default: 60000.",
      ),
    votes: z.int().min(1).max(15).optional().describe("Number of times each question is asked. Default 1."),
    choices: Choices.optional(),
  })
  .meta({ id: "JudgeSettings" });
export type JudgeSettings = z.infer<typeof JudgeSettings>;

/** A model that labels replies with the keys of `reference_metadata`. */
export const LabellerSettings = z.object(helper).meta({ id: "LabellerSettings" });
export type LabellerSettings = z.infer<typeof LabellerSettings>;

/** The model that plays the users of scenarios with a `user`. */
export const SimulatorSettings = z
  .object({
    ...helper,
    parameters: Parameters.optional().describe("Sent with every call of the simulator."),
    review: z
      .boolean()
      .optional()
      .describe(
        "Asks the judge about the simulated user of every attempt in which no rule found a failure. Needs a `judge`.",
      ),
  })
  .meta({ id: "SimulatorSettings" });
export type SimulatorSettings = z.infer<typeof SimulatorSettings>;

/** How a model uses tools: by the API of its endpoint, or described in the prompt. The agent backend finds it out by itself. */
export const ToolSupportMode = z.enum(["native", "prompted"]);

const options = {
  endpoint: z.string().min(1).max(2048).describe("Base URL (…/v1) or full URL of the model endpoint under test."),
  model_id: z.string().min(1).max(512).describe("The model's name at the endpoint, sent unchanged."),
  system_prompt: z.string().optional().describe("System prompt of scenarios that have none of their own."),
  stream: z
    .boolean()
    .optional()
    .describe(
      "Requests streamed replies, which measures `first_token_ms`. Default: false, unless a latency check of the first token needs it. An endpoint that cannot stream answers in one piece, and `first_token_ms` is null.",
    ),
  ...SpanSettings,
  parameters: Parameters.optional().describe("Sent to the model with every call."),
  protocol: Protocol.default("openai-chat").describe(
    `API protocol of the endpoint. ${Object.entries(protocols)
      .map(([name, { about }]) => `\`${name}\`: ${about}.`)
      .join(" ")}`,
  ),
  on_failure: z
    .enum(["continue", "stop"])
    .default("continue")
    .describe("After a failed turn, continue with the next turn or stop the attempt."),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Attempts of this run that may run concurrently. Default: `REHEARSAL_CONCURRENCY_PER_RUN`."),
  priority: Priority.optional(),
  tags: z.array(z.string()).default([]).describe("Stored with the run."),
  metadata: Metadata.default({}).describe("Stored with the run."),
  history: History.optional().describe("The replies the model sees as history. Default: `generated`."),
  scorers: z
    .array(ScorerSetting)
    .max(50)
    .optional()
    .describe(
      "Names select built-in scores (the default set if none is named); checks with options are added to them.",
    ),
  weights: z
    .record(z.string(), z.number().min(0).max(1_000))
    .optional()
    .describe("Makes `overall` the weighted mean of these scores instead of its default parts."),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      "Minimum `overall` of a good turn or attempt. Default: what the scenario states decides (checks, labels, expected calls, `expect`, judge), and similarity to a reference does not.",
    ),
  judge: JudgeSettings.optional().describe("A model that scores replies; `{}` selects the operator's judge."),
  labeller: LabellerSettings.optional().describe("A model that labels replies; `{}` selects the operator's labeller."),
  simulator: SimulatorSettings.optional().describe(
    "The model that plays simulated users. Default: the operator's simulator (SIMULATOR_*), for scenarios with a `user`.",
  ),
  label_rules: z.record(z.string(), LabelRule).optional().describe("Comparison rules by label key."),
  world: World.optional().describe("The world of scenarios that have none of their own."),
  world_address: WorldAddress.optional().describe(
    "With `protocol: agent`: how the agent gets the address of its world. Without it, an agent acts in no world.",
  ),
  tool_matching: ToolMatching.optional().describe("Rules for comparing tool calls with reference calls."),
  tool_support: ToolSupportMode.optional().describe(
    "How a model is offered the tools of a world. `native` (default): by its API. `prompted`: they are described in the prompt, and calls are read from the text of the reply, for models that write them as text.",
  ),
  budget: Budget.optional().describe("Stops the run at a limit; finished turns are kept."),
  gate: Gate.optional().describe("Requirements of the run; the response says whether they were met."),
  replay_first_bad_turn: z
    .boolean()
    .optional()
    .describe(
      "Runs every attempt again from its first bad turn with reference history. Takes extra calls, which are reported separately.",
    ),
};

const endpointOrTarget = z.union([options.endpoint, Target, LocalTarget, DeclaredTarget]);

/** The settings that variants may differ in: everything that the model or agent under test sees. */
const variable = {
  model_id: options.model_id,
  endpoint: endpointOrTarget,
  protocol: Protocol,
  system_prompt: z
    .string()
    .max(1_000_000)
    .describe(
      "Replaces the system prompts of all scenarios. `{{name}}` stands for the value of that name in a scenario's `metadata`.",
    ),
  parameters: Parameters,
  world: World.describe("Replaces the worlds of all scenarios."),
  tools: z
    .array(z.string().min(1).max(200))
    .max(128)
    .describe("The names of the tools that are offered, of those in the worlds. Default: all."),
  world_address: WorldAddress,
  tool_support: ToolSupportMode,
};

export const mostVariants = 50;

const VariantName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\r\n\t]*$/, "must be one line");

/** One version of what is tested. Settings that it leaves out are those of the request. */
export const Variant = z
  .object({ name: VariantName.describe("Shown in results."), ...variable })
  .partial()
  .required({ name: true })
  .meta({ id: "Variant" });
export type Variant = z.infer<typeof Variant>;

const levelsOf = <Value extends z.ZodType>(value: Value) =>
  z.union([z.array(value).min(1).max(mostVariants), z.record(VariantName, value)]).optional();

/** Levels of each setting: a list, or an object with a name for each. */
export const Variation = z
  .object({
    model_id: levelsOf(variable.model_id),
    endpoint: levelsOf(variable.endpoint),
    system_prompt: levelsOf(variable.system_prompt),
    parameters: levelsOf(variable.parameters),
    world: levelsOf(variable.world),
    tools: levelsOf(variable.tools),
    tool_support: levelsOf(variable.tool_support),
  })
  .meta({ id: "Variation" });
export type Variation = z.infer<typeof Variation>;

/** How a run belongs to an experiment. */
export const ExperimentPlan = z
  .object({
    id: z.string().describe("Id of the experiment: that of its first run."),
    variant: z.string(),
    factors: z.record(z.string(), z.string()).optional().describe("With `vary`: the level of each setting."),
    runs: z.array(z.string()).describe("Ids of the runs that were created together, in the order of the variants."),
  })
  .meta({ id: "ExperimentPlan" });
export type ExperimentPlan = z.infer<typeof ExperimentPlan>;

/** Body of POST /evaluate. */
export const EvaluationRequest = z
  .object({
    test_batch: z.union([ScenarioInput, z.array(ScenarioInput).min(1)]).describe("One scenario or several."),
    test_name: z
      .string()
      .optional()
      .describe("Default: the id of a single scenario; of several, their common tag, or their number and the date."),
    attempts: z
      .union([AttemptCount, UntilDecided])
      .default(1)
      .describe('Attempts of each scenario, or `{"until": "decided"}` to stop as soon as a comparison is decided.'),
    replay_users: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        "Id of a run whose simulated users are replayed: their recorded messages are sent, and no simulator is asked. Stored as `user.recorded`.",
      ),
    variants: z
      .array(Variant)
      .min(1)
      .max(mostVariants)
      .optional()
      .describe(
        "Versions to run over the same scenarios, side by side: one run each, which together are an experiment. The response is that of the first.",
      ),
    vary: Variation.optional().describe(
      "Makes a variant of every combination of these values, of each of the `variants` if there are some.",
    ),
    experiment: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Id of an experiment that the variants join. Its stored replies are used again, unless `fresh`."),
    reuse: z
      .boolean()
      .optional()
      .describe(
        "Uses stored replies of any earlier run with the same scenario and the same settings, instead of asking again. Default: only those of the `experiment` that is joined.",
      ),
    fresh: z.boolean().optional().describe("Asks for every reply, also where one is stored."),
    ...options,
    endpoint: endpointOrTarget.describe(
      "Base URL (…/v1) or full URL of the model endpoint under test, an object that says how another agent is asked, or the name of a target that the service knows.",
    ),
  })
  .meta({ id: "EvaluationRequest" });
export type EvaluationRequest = z.infer<typeof EvaluationRequest>;

/** The request that repeats a run. A schema of its own, because fields with default values are left out. */
export const RepeatedRequest = z.record(z.string(), z.json()).meta({
  id: "RepeatedRequest",
  description: "A body of POST /evaluate without the fields that have their default value.",
});

/** The request with every default filled in, as stored with the run. */
export const EvaluationPlan = z
  .object({
    scenarios: z.array(Scenario),
    test_name: z.string(),
    attempts: AttemptCount,
    adaptive: AdaptiveAttempts.optional().describe(
      "Only in runs of earlier versions; `attempts` is then the `max` of it.",
    ),
    sequence: SequencePlan.optional(),
    experiment: ExperimentPlan.optional(),
    reuse: z.array(z.string()).optional().describe("Ids of the runs whose replies are used again."),
    ...options,
    target: z.union([Target, LocalTarget]).optional().describe("The endpoint, when the request has an object for it."),
  })
  .meta({ id: "EvaluationPlan" });
export type EvaluationPlan = z.infer<typeof EvaluationPlan>;

/** The plan without its scenarios, which are stored one by one. */
export type RunSettings = Omit<EvaluationPlan, "scenarios">;

const { test_batch, scorers, weights, threshold, judge, labeller, label_rules, tool_matching, gate } =
  EvaluationRequest.shape;

/** Body of POST /runs/{run_id}/rescore. */
export const RescoreRequest = z
  .object({
    ask_models: z.boolean().default(false).describe("Call the judge, the labeller and the embedder again."),
    test_batch: test_batch
      .optional()
      .describe(
        "New references, labels, checks, reference tool calls and expected outcomes for turns with the same ids. The messages must be those the run sent; scenarios that are not listed keep their expectations.",
      ),
    scorers: scorers
      .nullable()
      .describe("Replaces the scorers of the run, as in POST /evaluate. null: the default set."),
    weights: weights.nullable(),
    threshold: threshold.nullable(),
    judge: judge.nullable().describe("Replaces the judge; requires `ask_models`. null: no judge."),
    labeller: labeller.nullable().describe("Replaces the labeller; requires `ask_models`. null: no labeller."),
    label_rules: label_rules.nullable(),
    tool_matching: tool_matching.nullable(),
    gate: gate.nullable(),
  })
  .meta({ id: "RescoreRequest" });
export type RescoreRequest = z.infer<typeof RescoreRequest>;

/**
 * Whose words settings and scenarios are: those of a request, or files and configuration of the person who runs this process. Only the
 * operator's may start programs of this machine, name modules and hold code.
 */
export type Trust = "request" | "operator";

/** The settings that decide the scores, named alike in a stored run and in a rescore request. */
export const scoringFields = [
  "scorers",
  "weights",
  "threshold",
  "judge",
  "labeller",
  "label_rules",
  "tool_matching",
  "gate",
] as const satisfies readonly (keyof RescoreRequest)[];
