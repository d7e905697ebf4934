import { z } from "zod";
import { Problem } from "./problem.ts";
import { Usage } from "./usage.ts";
import { AgentReply } from "./agent-message.ts";

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

/** A recorded run, run again from its log alone. */
export const AgentReplay = z
  .object({
    run_id: z.string(),
    matches: z.boolean().describe("True when today's loop and tools go the recorded way to the recorded end."),
    divergences: z.array(z.string()).describe("What went another way, in order."),
    finish_reason: z.string().nullable(),
    text: z.string().nullable().describe("The last message of the replay; null when it ended without one."),
    model_calls: z.int(),
    tool_calls: z.int(),
  })
  .meta({ id: "AgentReplay" });
export type AgentReplay = z.infer<typeof AgentReplay>;
