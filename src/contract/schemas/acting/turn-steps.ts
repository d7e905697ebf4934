import { z } from "zod";
import { JsonValue } from "./tool-call.ts";

/** One step of an agent in a turn, as a span of it shows. */
export const TurnStep = z
  .object({
    id: z.string().describe("The id of the span."),
    parent: z.string().optional().describe("The step within which it was done. Absent for those that the turn began."),
    kind: z.enum(["tool", "model", "retrieval", "agent", "embedding", "other"]),
    name: z.string(),
    start_ms: z.number().describe("Milliseconds after the begin of the first step."),
    ms: z.number().min(0).describe("Duration in milliseconds."),
    error: z.string().optional().describe("Why the step failed."),
    call: z.int().min(0).optional().describe("Only of a tool: the index of its call in `tool_calls`."),
    arguments: JsonValue.optional().describe("Only of a tool whose call is not listed in `tool_calls`."),
    model: z.string().optional(),
    input_tokens: z.int().min(0).optional(),
    output_tokens: z.int().min(0).optional(),
    cost: z.number().min(0).optional().describe("US dollars, as the span says."),
    text: z.string().optional().describe("Only of a model: the beginning of its answer."),
    passages: z.int().min(0).optional().describe("Only of a retrieval: how many it found."),
  })
  .meta({ id: "TurnStep" });
export type TurnStep = z.infer<typeof TurnStep>;

/** The spans of a turn, and what was learned from them alone. */
export const TurnTrace = z
  .object({
    trace_id: z.string(),
    span_id: z.string().describe("The span of the turn, which the agent's own are below."),
    spans: z.int().min(0).describe("The spans that came in time."),
    incomplete: z
      .literal(true)
      .optional()
      .describe("Set when the span that answers the request, or one above another, did not come in time."),
    steps: z.array(TurnStep).describe("The steps in the order of their begin, at most 1,000."),
    tells: z
      .array(z.enum(["calls", "usage", "cost", "context"]))
      .optional()
      .describe(
        "What is known of the turn only by its spans: which tool calls were made, `usage`, `cost`, and `context`.",
      ),
  })
  .meta({ id: "TurnTrace" });
export type TurnTrace = z.infer<typeof TurnTrace>;
