import { z } from "zod";
import { Budget } from "../../contract/schemas/budget.ts";
import {
  AttemptCount,
  Parameters,
  Protocol,
  ToolSupportMode,
  UntilDecided,
} from "../../contract/schemas/evaluation-request.ts";
import { World } from "../../contract/schemas/acting/world.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { isEndpoint } from "../options/addresses.ts";
import { reporterNames } from "../options/choices.ts";
import { CliError } from "../terminal/cli-error.ts";

/** Schemas of the keys that an option of the command line sets too; the table of options names them. */
export { History, Priority, Protocol } from "../../contract/schemas/evaluation-request.ts";
export { NotWorseBy, Undecided } from "../../contract/schemas/margins.ts";

const variantKeys = {
  model: z.string().min(1),
  system_prompt: z.string(),
  system_prompt_file: z.string().min(1).describe("Relative to this file."),
  endpoint: z.string().min(1).refine(isEndpoint, "must be an address like https://api.example.com/v1, or agent"),
  target: z.string().min(1).describe("A name under targets, or a module."),
  protocol: Protocol,
  parameters: Parameters,
  world: World,
  tools: z.array(z.string().min(1)).describe("The names of the tools of the worlds that are offered."),
  tool_support: ToolSupportMode,
};
const variantName = z.string().min(1).max(100);

/** The settings of one variant. */
export const variants = z.record(variantName, z.strictObject(variantKeys).partial());

const levels = <Value extends z.ZodType>(value: Value) =>
  z.union([z.array(value).min(1), z.record(variantName, value)]).optional();

/** Levels of settings, of which every combination is a variant. */
export const vary = z.strictObject({
  model: levels(variantKeys.model),
  system_prompt: levels(variantKeys.system_prompt),
  system_prompt_file: levels(variantKeys.system_prompt_file),
  endpoint: levels(variantKeys.endpoint),
  target: levels(variantKeys.target),
  parameters: levels(variantKeys.parameters),
  tools: levels(variantKeys.tools),
  tool_support: levels(variantKeys.tool_support),
});

export const anyText = z.string();
export const text = z.string().min(1);
export const texts = z.array(text);
export const oneOrMore = z.union([text, z.array(text).min(1)]);
export const flag = z.boolean();
export const share = z.number().min(0).max(1);

export const endpoint = text.refine(isEndpoint, "must be an address like https://api.example.com/v1, or agent");
export const attempts = z.union([AttemptCount, UntilDecided]);
export const concurrency = z.int().min(1).max(1000);
export const budget = Budget.strict();
export const reporters = z.array(z.enum(reporterNames));
export const gates = z.array(text.superRefine(checkGateText));

/** Reports an unreadable gate as an issue at its place in the file. */
function checkGateText(gate: string, context: z.RefinementCtx): void {
  try {
    parseGate(gate);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
}
