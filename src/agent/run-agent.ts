import type { ReplyError, SuccessfulReply } from "../contract/model.ts";
import type { LimitReason } from "./agent-limits.ts";
import type { AgentOutcome, PendingToolCall } from "./agent-outcome.ts";
import { createAgentRun, toTotals, type AgentRun, type AgentRunOptions } from "./agent-run.ts";
import { answerToolCalls } from "./answer-tool-calls.ts";
import { callModel, spentLimit } from "./call-model.ts";
import { answerWithoutTools, finalAnswerTime } from "./final-answer.ts";
import { readToolCalls, type ReadCall } from "./read-tool-call.ts";
import { createTimeLimit, type TimeLimit } from "./time-limit.ts";

/** How the part of a run that may use tools ended. */
type Ending =
  | { readonly kind: "answered"; readonly reply: SuccessfulReply; readonly pending: readonly PendingToolCall[] }
  | { readonly kind: "limited"; readonly reason: LimitReason }
  | { readonly kind: "failed"; readonly error: ReplyError };

/**
 * Runs a conversation until the model answers: it calls the model, carries out the tools it asks for, and goes on.
 * Resolves with an outcome, a failed model included; rejects only when `signal` aborts.
 * Only calls that this run's model makes are carried out, never those in `messages`.
 *
 * @example
 * const outcome = await runAgent({ model, messages: fromAgentMessages(body.messages), tools: [calculator()], signal });
 */
export async function runAgent(options: AgentRunOptions): Promise<AgentOutcome> {
  const run = createAgentRun(options);
  run.signal.throwIfAborted();
  run.emit({ type: "run-start" });
  const outcome = await toOutcome(run, await useTools(run));
  run.emit({ type: "run-end", outcome });
  return outcome;
}

async function useTools(run: AgentRun): Promise<Ending> {
  using deadline = createTimeLimit({ signal: run.signal, ms: run.limits.deadlineMs - finalAnswerTime(run) });
  while (run.steps < run.limits.steps) {
    const ending = await takeStep(run, deadline);
    if (ending) return ending;
  }
  return { kind: "limited", reason: "step_limit" };
}

/** One model call and the tools it asks for. Null when the model shall go on. */
async function takeStep(run: AgentRun, deadline: TimeLimit): Promise<Ending | null> {
  run.steps += 1;
  const reply = await callModel(run, { tools: run.toolbox.definitions, deadline });
  if (!reply) return { kind: "limited", reason: "deadline" };
  if (!reply.ok) return { kind: "failed", error: reply.error };
  if (reply.tool_calls.length === 0) return { kind: "answered", reply, pending: [] };

  const calls = readToolCalls(reply, run);
  reportUnusable(run, calls);
  // Nothing of a turn that somebody else must continue is run: the model asks again when it has their results.
  const pending = calls.filter((call) => call.kind === "handed-out");
  if (pending.length > 0) return { kind: "answered", reply, pending };

  const { messages, limit } = await answerToolCalls(run, calls, { deadline, spent: spentLimit(run) });
  const tool_calls = calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
  run.history = [...run.history, { role: "assistant", content: reply.text, tool_calls }, ...messages];
  return limit && { kind: "limited", reason: limit };
}

function reportUnusable(run: AgentRun, calls: readonly ReadCall[]): void {
  for (const call of calls) {
    if (call.kind !== "unusable") continue;
    const { id, name, sent: args, error } = call;
    run.invalidCalls.push({ id, name, args, error, model_call: run.modelCalls });
  }
}

async function toOutcome(run: AgentRun, ending: Ending): Promise<AgentOutcome> {
  if (ending.kind === "limited") return answerWithoutTools(run, ending.reason);
  if (ending.kind === "failed") return { ...toTotals(run), ok: false, error: ending.error };
  const { reply, pending } = ending;
  return {
    ...toTotals(run),
    ok: true,
    reply,
    finish_reason: pending.length > 0 ? "tool_calls" : reply.finish_reason,
    pending_tool_calls: pending.map(({ id, name, args }) => ({ id, name, args })),
  };
}
