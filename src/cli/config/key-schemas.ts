import { z } from "zod";
import { Budget } from "../../contract/schemas/budget.ts";
import { AttemptCount, UntilDecided } from "../../contract/schemas/evaluation-request.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { isEndpoint } from "../options/addresses.ts";
import { reporterNames } from "../options/choices.ts";
import { CliError } from "../terminal/cli-error.ts";

/** Schemas of the keys that an option of the command line sets too; the table of options names them. */
export { History, Priority, Protocol } from "../../contract/schemas/evaluation-request.ts";
export { NotWorseBy, Undecided } from "../../contract/schemas/margins.ts";

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
