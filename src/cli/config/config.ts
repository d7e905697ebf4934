import { z } from "zod";
import { Budget } from "../../contract/schemas/budget.ts";
import { LabelRule } from "../../scoring/scorers/label-rule.ts";
import {
  AttemptCount,
  UntilDecided,
  History,
  JudgeSettings,
  LabellerSettings,
  Parameters,
  Priority,
  Protocol,
  SimulatorSettings,
  ToolSupportMode,
} from "../../contract/schemas/evaluation-request.ts";
import { NotWorseBy, Undecided } from "../../contract/schemas/margins.ts";
import { Metadata } from "../../contract/schemas/scenario.ts";
import { ScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { LocalTarget, Target } from "../../contract/schemas/acting/target.ts";
import { ToolMatching } from "../../contract/schemas/acting/tool-call.ts";
import { RedactionRule } from "../../contract/schemas/acting/traces.ts";
import { World, WorldAddress } from "../../contract/schemas/acting/world.ts";
import { PriceEntry } from "../../models/prices/price-of.ts";
import { limitSettings } from "../../settings/numbers.ts";
import { CliError } from "../terminal/cli-error.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { reporterNames } from "../options/eval-options.ts";
import { isEndpoint } from "../options/addresses.ts";

const share = z.number().min(0).max(1);
const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** Reports an unreadable gate as an issue at its place in the file. */
function checkGateText(text: string, context: z.RefinementCtx): void {
  try {
    parseGate(text);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
}

/** The limits that services and commands obey. They are numbers that few operators change, so they are no variables. */
const Limits = z.strictObject(
  Object.fromEntries(
    limitSettings.map(({ key, minimum, maximum, fraction, default: value, meaning }) => {
      const number = (fraction ? z.number() : z.int()).min(minimum).max(maximum);
      return [key, number.optional().describe(`${meaning} Default ${value}.`)];
    }),
  ) as Record<(typeof limitSettings)[number]["key"], z.ZodOptional<z.ZodNumber>>,
);

const [ModuleTarget, CommandTarget] = LocalTarget.options;

/** A target by name. One kind or the other, told apart by the key that names it, so that errors are about the kind meant. */
const ConfigTarget = z
  .union([Target.strict(), ModuleTarget.strict(), CommandTarget.strict()])
  .describe("How an agent is asked: by HTTP, by AG-UI or A2A, by a module or by a command.");

/** `rehearsal.yaml`: the defaults of `rehearsal eval`, and the limits of all services. Unknown keys are errors. */
export const Config = z
  .strictObject({
    $schema: z.string().optional(),
    name: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Name of the test. Default: the id of a single scenario; of several, their common tag, or their number and the date.",
      ),
    scenarios: oneOrMore.optional().describe("Files, folders or patterns, relative to this file."),
    endpoint: z
      .string()
      .min(1)
      .refine(isEndpoint, "must be an address like https://api.example.com/v1, or agent")
      .optional()
      .describe("Model endpoint under test. Default: agent, Rehearsal's own agent backend."),
    targets: z
      .record(z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, _, . and -"), ConfigTarget)
      .optional()
      .describe(
        "Agents under test by name, for --target, rehearsal probe and requests to a service started here. Modules are named relative to this file.",
      ),
    target: z.string().min(1).optional().describe("The target to test: a name under targets. Replaces endpoint."),
    model: oneOrMore.optional().describe("Model to test; several models are tested one after the other."),
    attempts: z
      .union([AttemptCount, UntilDecided])
      .optional()
      .describe('Runs of each scenario (default 1), or {"until": "decided", "against": …}.'),
    protocol: Protocol.optional().describe(
      "Protocol of the endpoint. Default: openai-chat; agent for Rehearsal's own.",
    ),
    system_prompt: z.string().optional().describe("Replaces the system prompts of all scenarios."),
    system_prompt_file: z.string().min(1).optional().describe("A file with the system prompt, relative to this file."),
    parameters: Parameters.strict().optional().describe("Sent to the model with every call."),
    stream: z.boolean().optional().describe("Stream replies to measure the time to the first token."),
    history: History.optional().describe("Which earlier replies the model sees. Default: generated."),
    on_failure: z.enum(["continue", "stop"]).optional().describe("What follows a failed turn. Default: continue."),
    replay_first_bad_turn: z
      .boolean()
      .optional()
      .describe(
        "Repeat every attempt from its first bad turn with reference history. Makes extra calls, which are reported separately.",
      ),
    concurrency: z.int().min(1).max(1000).optional().describe("Attempts at once."),
    priority: Priority.optional(),
    scorers: z
      .array(ScorerSetting)
      .max(50)
      .optional()
      .describe("Names select scores (default: the default set); checks with options are added."),
    weights: z
      .record(z.string(), z.number().min(0).max(1000))
      .optional()
      .describe("Makes overall the weighted mean of these scores."),
    threshold: share
      .optional()
      .describe(
        "An attempt passes from this overall score on. Default: it passes when everything its scenario states holds.",
      ),
    judge: JudgeSettings.strict().optional().describe("A model that scores replies."),
    labeller: LabellerSettings.strict().optional().describe("A model that labels replies."),
    simulator: SimulatorSettings.strict().optional().describe("A model that plays simulated users."),
    world: World.strict()
      .optional()
      .describe("The world of scenarios that have none. A module is named relative to this file."),
    world_address: WorldAddress.optional().describe(
      "How an agent with its own tool loop gets the address of its world.",
    ),
    tool_matching: ToolMatching.strict().optional().describe("How tool calls are compared with the expected ones."),
    tool_support: ToolSupportMode.optional().describe(
      "prompted: tools of a world are described in the prompt, for models that write calls as text. Default: native.",
    ),
    label_rules: z.record(z.string(), LabelRule).optional().describe("How the labels of a key are compared."),
    budget: Budget.strict().optional().describe("Limits at which a run stops; finished turns are kept."),
    tags: z.array(z.string()).optional().describe("Stored with the run."),
    metadata: Metadata.optional().describe("Stored with the run."),
    gates: z
      .array(z.string().min(1).superRefine(checkGateText))
      .optional()
      .describe('Such as "overall.ci_lower>=0.7" or "pass^3>=0.9". Default: every scenario has to pass.'),
    baseline: z
      .string()
      .min(1)
      .optional()
      .describe("A run, or a results file relative to this file, that the replies must not be worse than."),
    baseline_scores: z.array(z.string()).min(1).optional().describe("Default: overall and success."),
    max_regression: share.optional().describe("Accepted drop. Default 0."),
    not_worse_by: NotWorseBy.optional().describe(
      "Passes only if the replies are shown not to be worse than the baseline by this margin: a number for overall, or an object for several scores, pass_rate, latency_ms and cost_per_turn.",
    ),
    undecided: Undecided.optional().describe(
      "What an undecided baseline counts as. Default: pass; fail with not_worse_by.",
    ),
    max_errors: share
      .optional()
      .describe(
        "The target counts as unusable above this share of turns without a reply. Default: 0 in CI; elsewhere only a target that never replies is unusable.",
      ),
    reporters: z.array(z.enum(reporterNames)).optional().describe("How progress and results are reported."),
    output: z
      .array(z.string().min(1))
      .optional()
      .describe("Files to write, relative to this file; the extension selects the format."),
    server: z.string().optional().describe("Address of an evaluation service to use instead of this process."),
    redact: z
      .array(RedactionRule)
      .max(100)
      .optional()
      .describe("Text that is replaced in imported conversations before they are stored: kinds, or patterns."),
    limits: Limits.optional().describe("Limits of `serve`, `worker` and commands in this folder."),
    prices: z
      .record(z.string().min(1), PriceEntry)
      .optional()
      .describe(
        "US dollars for a million tokens, by model: they outrank REHEARSAL_PRICES_FILE and the built-in table. Used by `serve`, `worker` and commands in this folder.",
      ),
  })
  .meta({ id: "RehearsalConfig", title: "Rehearsal configuration" });
export type Config = z.infer<typeof Config>;
