import { z } from "zod";
import { TurnCheck } from "./scorer-setting.ts";

/** Labels of a reply: any JSON under any key (`intent`, `sentiment`, …). */
export const Metadata = z.record(z.string(), z.json()).meta({ id: "Metadata" });
export type Metadata = z.infer<typeof Metadata>;

/**
 * An id the caller chose: opaque, compared by code point, at most 256 characters, none of them a control character. Those are
 * spelled out and not `\p{Cc}`: the pattern is in the OpenAPI document, and Python's, for one, knows no `\p`.
 */
const Identifier = z
  .string()
  .min(1)
  .max(256)
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, "must not hold control characters");

export const mostTurnChecks = 50;

/** One turn of a scripted conversation, as the caller sends it. */
export const InteractionInput = z
  .object({
    id: Identifier,
    user_message: z.string(),
    agent_reply: z.string().default("").describe("Ignored in a request; filled in by the service."),
    reference_reply: z.string().default("").describe("The expected reply. Empty means no reply scores."),
    references: z.array(z.string()).optional().describe("More acceptable replies; the best one counts."),
    interaction_type: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe("Default: opening for the first turn, follow_up for the rest."),
    reference_metadata: Metadata.default({}),
    checks: z
      .array(TurnCheck)
      .max(mostTurnChecks)
      .optional()
      .describe("What the reply to this turn is checked for, beside the checks of the run."),
    generated_metadata: Metadata.default({}).describe("Ignored in a request; filled in by the service."),
  })
  .meta({ id: "InteractionInput" });

/** A turn with every default filled in. */
export const Interaction = InteractionInput.extend({ interaction_type: z.string().min(1) }).meta({ id: "Interaction" });
export type Interaction = z.infer<typeof Interaction>;

/** Ordered turns that make one conversation. */
export const ScenarioInput = z
  .object({
    id: Identifier,
    description: z.string().default(""),
    system_prompt: z.string().optional().describe("Stands in place of the system prompt of the request."),
    interactions: z.array(InteractionInput).min(1),
    tags: z.array(z.string()).optional(),
  })
  .meta({ id: "ScenarioInput" });

/** A scenario with every default filled in. */
export const Scenario = z
  .object({
    id: Identifier,
    description: z.string(),
    system_prompt: z.string().optional(),
    interactions: z.array(Interaction).min(1),
    tags: z.array(z.string()),
  })
  .meta({ id: "Scenario" });
export type Scenario = z.infer<typeof Scenario>;
