import { z } from "zod";
import { LabelRule } from "../../scoring/scorers/label-rule.ts";
import {
  JudgeSettings,
  LabellerSettings,
  Parameters,
  SimulatorSettings,
  ToolSupportMode,
} from "../../contract/schemas/evaluation-request.ts";
import { Metadata } from "../../contract/schemas/scenario.ts";
import { ScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { LocalTarget, SpanSettings, Target } from "../../contract/schemas/acting/target.ts";
import { ToolMatching } from "../../contract/schemas/acting/tool-call.ts";
import { RedactionRule } from "../../contract/schemas/acting/traces.ts";
import { World, WorldAddress } from "../../contract/schemas/acting/world.ts";
import { PriceEntry } from "../../models/prices/price-of.ts";
import { limitSettings } from "../../settings/numbers.ts";
import { evalOptions, type EvalOption, type EvalOptionTable } from "../options/eval-options.ts";
import * as schemas from "./key-schemas.ts";

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

type KeyOf<Option extends EvalOption> = Option extends { readonly key: infer Key } ? Key : never;
type KeyName<Option extends EvalOption> = Extract<KeyOf<Option>, { readonly name: string }>["name"];
type KeySchema<Option extends EvalOption> =
  KeyOf<Option> extends { readonly schema: (all: never) => infer Schema extends z.ZodType } ? Schema : never;

/** The keys that options of the command line outrank. */
export function keysOf<const Table extends EvalOptionTable>(table: Table) {
  const keys = Object.values(table).flatMap(({ key }) => {
    if (!key) return [];
    const schema = key.schema(schemas).optional();
    return [[key.name, key.help === undefined ? schema : schema.describe(key.help)]];
  });
  return Object.fromEntries(keys) as {
    [Name in keyof Table as KeyName<Table[Name]>]: z.ZodOptional<KeySchema<Table[Name]>>;
  };
}

/** `rehearsal.yaml`: the defaults of `rehearsal eval`, and the limits of all services. Unknown keys are errors. */
export const Config = z
  .strictObject({
    $schema: z.string().optional(),
    scenarios: schemas.oneOrMore.optional().describe("Files, folders or patterns, relative to this file."),
    targets: z
      .record(z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, _, . and -"), ConfigTarget)
      .optional()
      .describe(
        "Agents under test by name, for --target, rehearsal probe and requests to a service started here. Modules are named relative to this file.",
      ),
    ...keysOf(evalOptions),
    system_prompt_file: z.string().min(1).optional().describe("A file with the system prompt, relative to this file."),
    vary: schemas.vary
      .optional()
      .describe("Every combination of these levels is a variant: a list for each setting, or an object with names."),
    parameters: Parameters.strict().optional().describe("Sent to the model with every call."),
    on_failure: z.enum(["continue", "stop"]).optional().describe("What follows a failed turn. Default: continue."),
    replay_first_bad_turn: z
      .boolean()
      .optional()
      .describe(
        "Repeat every attempt from its first bad turn with reference history. Makes extra calls, which are reported separately.",
      ),
    scorers: z
      .array(ScorerSetting)
      .max(50)
      .optional()
      .describe("Names select scores (default: the default set); checks with options are added."),
    weights: z
      .record(z.string(), z.number().min(0).max(1000))
      .optional()
      .describe("Makes overall the weighted mean of these scores."),
    threshold: schemas.share
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
    ...SpanSettings,
    world_address: WorldAddress.optional().describe(
      "How an agent with its own tool loop gets the address of its world.",
    ),
    tool_matching: ToolMatching.strict().optional().describe("How tool calls are compared with the expected ones."),
    tool_support: ToolSupportMode.optional().describe(
      "prompted: tools of a world are described in the prompt, for models that write calls as text. Default: native.",
    ),
    label_rules: z.record(z.string(), LabelRule).optional().describe("How the labels of a key are compared."),
    tags: z.array(z.string()).optional().describe("Stored with the run."),
    metadata: Metadata.optional().describe("Stored with the run."),
    baseline_scores: z.array(z.string()).min(1).optional().describe("Default: overall and success."),
    redact: z
      .array(RedactionRule)
      .max(100)
      .optional()
      .describe("Text that is replaced in imported conversations before they are stored: kinds, or patterns."),
    limits: Limits.optional().describe("Limits of `serve` and of commands in this folder."),
    prices: z
      .record(z.string().min(1), PriceEntry)
      .optional()
      .describe(
        "US dollars for a million tokens, by model: they outrank REHEARSAL_PRICES_FILE and the built-in table. Used by `serve` and by commands in this folder.",
      ),
  })
  .meta({ id: "RehearsalConfig", title: "Rehearsal configuration" });
export type Config = z.infer<typeof Config>;
