import { z } from "zod";
import { Problem } from "../../errors/problem.ts";
import { Usage } from "../shared/usage.ts";
import { AgentReply } from "./agent-message.ts";

const ToolStart = z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()) });

/** The events of POST / with `Accept: text/event-stream`: the data of each, by the event's name. */
export const AgentStreamEvents = z.object({
  "run-start": z.object({ run_id: z.string(), model_resolved: z.string() }),
  "text-delta": z.object({
    call: z.int().describe("Number of the model call, from 1. Text before a tool call belongs to an earlier message."),
    text: z.string(),
  }),
  /** The model's reasoning, if its provider reports it. Not part of the message. */
  "reasoning-delta": z.object({ call: z.int().describe("Number of the model call, from 1."), text: z.string() }),
  "tool-start": ToolStart,
  /** A call that is not executed (invalid, denied or over a limit) starts and ends at once with `ok` false and the reason in `result`. */
  "tool-end": ToolStart.extend({ ok: z.boolean(), result: z.string(), duration_ms: z.number() }),
  /** The last event, unless the stream ends with `error`. */
  "run-end": z.object({
    run_id: z.string(),
    model_resolved: z.string(),
    message: AgentReply.describe("The body of the JSON response."),
    usage: Usage.nullable().describe(
      "Sum over all model calls; null when a provider did not report the tokens of one.",
    ),
    cost: z.number().nullable(),
    model_calls: z.int(),
    tool_calls: z.int(),
  }),
  error: Problem,
});
export type AgentStreamEvents = z.infer<typeof AgentStreamEvents>;

/** The result of replaying a recorded run from its log. */
export const AgentReplay = z
  .object({
    run_id: z.string(),
    matches: z
      .boolean()
      .describe("True when the current agent takes the recorded steps and reaches the recorded result."),
    divergences: z.array(z.string()).describe("The differences, in order."),
    finish_reason: z.string().nullable(),
    text: z.string().nullable().describe("The last message of the replay; null when it ended without one."),
    model_calls: z.int(),
    tool_calls: z.int(),
  })
  .meta({ id: "AgentReplay" });
export type AgentReplay = z.infer<typeof AgentReplay>;
