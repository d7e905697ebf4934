import type { SuccessfulReply } from "../contract/ports/chat-model.ts";
import type { PendingCall, PendingRun } from "./agent-outcome.ts";
import { createAgentRun, toTotals, type AgentRun, type AgentRunOptions } from "./agent-run.ts";
import type { ReadCall } from "./read-tool-call.ts";

/** What a run that stopped at `calls` needs to go on. */
export function toPendingRun(run: AgentRun, reply: SuccessfulReply, calls: readonly ReadCall[]): PendingRun {
  return {
    history: run.history,
    reply,
    calls: calls.map(toPendingCall),
    totals: toTotals(run),
    tokens: run.tokens,
    cost: run.cost,
    repairs_by_name: [...run.repairsByName],
  };
}

function toPendingCall(call: ReadCall): PendingCall {
  const { id, name, arguments: text, echo } = call;
  const identity = { id, name, arguments: text, ...(echo && { echo }) };
  if (call.kind === "unusable") return { ...identity, state: "unusable", sent: call.sent, error: call.error };
  if (call.kind === "answered") return { ...identity, state: "answered", result: call.content };
  return { ...identity, state: call.kind === "handed-out" ? call.waitsFor : "free" };
}

/** The run as it was when it stopped: its limits count from its beginning, only the deadline starts anew. */
export function restoreRun(pending: PendingRun, options: Omit<AgentRunOptions, "messages">): AgentRun {
  const { totals } = pending;
  const run = createAgentRun({ ...options, messages: pending.history });
  for (const call of pending.calls) run.issueId(call.id);
  return Object.assign(run, {
    startedAt: run.now() - totals.duration_ms,
    toolRuns: [...totals.tool_calls],
    invalidCalls: [...totals.invalid_tool_calls],
    repairsByName: new Map(pending.repairs_by_name),
    lastReply: pending.reply,
    usage: totals.usage,
    uncounted: totals.uncounted ?? false,
    tokens: pending.tokens,
    cost: pending.cost ?? totals.cost ?? 0,
    unpriced: totals.cost === null,
    steps: totals.steps,
    modelCalls: totals.model_calls,
    repairs: totals.repairs,
  });
}
