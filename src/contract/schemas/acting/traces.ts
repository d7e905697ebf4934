import { z } from "zod";

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** Which conversations of a file with traces are taken. All conditions must hold. */
export const TraceFilter = z
  .object({
    since: Moment.optional().describe("Only conversations that began at this time or later."),
    until: Moment.optional().describe("Only conversations that began before this time."),
    model: z.string().max(512).optional().describe("Only conversations with this model; * stands for any text."),
    errors: z.enum(["only", "none"]).optional().describe("Only conversations with a failed step, or without one."),
    min_turns: z.int().min(1).optional(),
    max_turns: z.int().min(1).optional(),
    conversations: z.array(z.string().max(1_000)).max(10_000).optional().describe("Only conversations with these ids."),
  })
  .meta({ id: "TraceFilter" });
export type TraceFilter = z.infer<typeof TraceFilter>;

/** A conversation found in traces: those with one thread or session id, or a single trace without one. */
export const TracedConversation = z
  .object({
    id: z.string().describe("The id of the thread, the session or the trace."),
    started_at: z.iso.datetime().nullable().describe("null when the traces have no time."),
    turns: z.int(),
    models: z.array(z.string()),
    tool_calls: z.int(),
    errors: z.int().describe("Failed steps."),
    first_message: z.string(),
    taken: z.boolean().describe("False when the filter left it out."),
  })
  .meta({ id: "TracedConversation" });
export type TracedConversation = z.infer<typeof TracedConversation>;

/** Kinds of personal data with a pattern of their own. */
export const redactionKinds = ["email", "phone", "credit_card", "iban", "ip_address", "api_key"] as const;

/** Text that is replaced in imported conversations before they are stored. */
export const RedactionRule = z.union([
  z.enum(redactionKinds),
  z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(1_000)
      .refine(isPattern, "must be a regular expression")
      .describe("A regular expression; every match is replaced."),
    replacement: z.string().max(200).optional().describe("Default: [redacted]. $1 is the first group."),
  }),
]);
export type RedactionRule = z.infer<typeof RedactionRule>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "gu").source !== "";
  } catch {
    return false;
  }
}
