import { z } from "zod";
import { AgentReply } from "./agent-reply.ts";
import { Problem } from "./problem.ts";
import { Usage } from "./usage.ts";

const ToolStart = z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()) });

/** The events of POST / with `Accept: text/event-stream`: the data of each, by the event's name. */
export const AgentStreamEvents = z.object({
  "run-start": z.object({ run_id: z.string(), model_resolved: z.string() }),
  "text-delta": z.object({
    call: z.int().describe("Which model call speaks, from 1: text before a tool call belongs to an earlier message."),
    text: z.string(),
  }),
  /** What the model thinks, where its provider tells: no part of the message. */
  "reasoning-delta": z.object({ call: z.int().describe("Which model call thinks, from 1."), text: z.string() }),
  "tool-start": ToolStart,
  /** A call that is not run (broken, refused, beyond a limit) begins and ends at once, `ok` false, `result` the reason. */
  "tool-end": ToolStart.extend({ ok: z.boolean(), result: z.string(), duration_ms: z.number() }),
  /** Always the last event, unless it is `error`. */
  "run-end": z.object({
    run_id: z.string(),
    model_resolved: z.string(),
    message: AgentReply.describe("The JSON answer."),
    usage: Usage.nullable().describe("Over all model calls; null where one was not counted."),
    cost: z.number().nullable(),
    model_calls: z.int(),
    tool_calls: z.int(),
  }),
  error: Problem,
});
export type AgentStreamEvents = z.infer<typeof AgentStreamEvents>;
