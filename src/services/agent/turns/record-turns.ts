import type { AgentOutcome, AskedToolCall, ToolRun } from "../../../agent/loop/agent-outcome.ts";
import type { AgentRunEnd, AgentRunState, RecordedMessage } from "../../../contract/schemas/agent-run.ts";
import type { AgentRunLog } from "../../../contract/ports/agent-memory.ts";
import type { ChatMessage, Reply } from "../../../contract/ports/chat-model.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { addUsage, noUsage, toUsage } from "../../../contract/schemas/usage.ts";
import type { TurnEnd, TurnFacts, TurnObserver } from "./turn.ts";

/** Writes every turn into the run log while it happens. */
export function recordTurns({ log }: { log: AgentRunLog }): TurnObserver {
  return (facts) => {
    const { runId, resolved, earlier } = facts;
    const callsStartedAt = new Map<number, number>();
    const toolsUnderWay = new Map<string, { readonly call: AskedToolCall; readonly at: number }>();
    let started = false;
    let calls = earlier?.model_calls ?? 0;
    let tools = earlier?.tool_calls.length ?? 0;
    let usage = earlier?.usage ?? noUsage;
    const start = () => {
      started = true;
      writeStart(log, facts);
    };

    function recordModelCall(call: number, reply: Reply | null): void {
      const at = callsStartedAt.get(call) ?? Date.now();
      callsStartedAt.delete(call);
      calls += 1;
      if (reply?.ok && reply.usage) usage = addUsage(usage, toUsage(reply.usage));
      // Rounded for V8, to which a difference of two times is now a whole number and now a fraction: not knowing which,
      // it throws the compiled code of this function away, turn after turn.
      const duration_ms = Math.round(Date.now() - at);
      log.append(runId, { type: "model-call", at, call, duration_ms, model_resolved: resolved(), reply });
    }
    function recordTool({ id, name, args, ok, result, duration_ms }: ToolRun): void {
      const at = Date.now() - duration_ms;
      toolsUnderWay.delete(id);
      tools += 1;
      log.append(runId, { type: "tool-call", at, id, name, args: { ...args }, ok, result, duration_ms });
    }
    /** What the end of the run cut off was begun all the same: the provider counts it, and a tool may have done its work. */
    function recordCutOff(): void {
      for (const call of callsStartedAt.keys()) recordModelCall(call, null);
      for (const { call, at } of toolsUnderWay.values()) {
        recordTool({ ...call, ok: false, result: cutOff, duration_ms: Math.round(Date.now() - at) });
      }
    }

    return {
      onEvent(event) {
        if (event.type === "run-start") start();
        else if (event.type === "model-start") callsStartedAt.set(event.call, Date.now());
        else if (event.type === "model-end") recordModelCall(event.call, event.reply);
        else if (event.type === "tool-start") {
          toolsUnderWay.set(event.tool_call.id, { call: event.tool_call, at: Date.now() });
        } else if (event.type === "tool-end") recordTool(event.tool_call);
      },
      onEnd(end) {
        if (!started && end.kind === "outcome") start();
        // Decisions that were refused: the run waits as it did before.
        if (!started) return;
        // Whoever goes on with it tells the rest.
        if (end.kind === "left") return;
        if (end.kind !== "outcome" && !waitsAgain(end)) recordCutOff();
        // Only for a run without an outcome, which has no totals of its own.
        const duration_ms = (earlier?.duration_ms ?? 0) + Date.now() - facts.startedAt;
        const counted = { usage, model_calls: calls, tool_calls: tools, duration_ms };
        log.append(runId, { type: "run-end", at: Date.now(), model_resolved: resolved(), ...toEnd(end, counted) });
        facts.memory?.keepDuring(log.written(runId));
      },
    };
  };
}

const cutOff = "The run ended before the tool had answered. It is not known whether the call was carried out.";

function writeStart(log: AgentRunLog, facts: TurnFacts): void {
  const { runId, startedAt: at, decisions } = facts;
  if (decisions) {
    const entries = Object.entries(decisions).map(([id, decision]) => [
      id,
      typeof decision === "object" && "args" in decision && decision.args ? { args: { ...decision.args } } : decision,
    ]);
    return log.append(runId, { type: "run-resume", at, decisions: Object.fromEntries(entries) });
  }
  log.append(runId, {
    type: "run-start",
    at,
    owner: facts.owner,
    wire: facts.wire,
    request_id: facts.requestId,
    model_id: facts.modelId,
    model_resolved: facts.resolved(),
    thread_id: facts.thread?.id ?? null,
    messages: facts.messages.map(toRecorded),
    tools: facts.tools.map((tool) => tool.definition.name),
    client_tools: (facts.clientTools ?? []).map((tool) => ({ ...tool, parameters: { ...tool.parameters } })),
  });
}

/** Pictures are too large to be kept with every turn that shows them again, and nobody's to look at later. Marks are the provider's. */
function toRecorded(message: ChatMessage): RecordedMessage {
  if (message.cache_marks) {
    const { cache_marks: _, ...unmarked } = message;
    return unmarked;
  }
  if (message.role !== "user" || !message.parts) return message;
  const { parts, ...rest } = message;
  return { ...rest, images: parts.filter(({ type }) => type === "image").length };
}

/** Whoever goes on with it tells what was cut off. */
const waitsAgain = (end: TurnEnd): boolean => end.kind === "crashed" && end.waits === true;

const unstored = {
  code: "storage_unavailable" as const,
  detail:
    "The store failed while the run went on after the decision. Send the decisions again: what was done is not done twice.",
};

type Ending = Omit<AgentRunEnd, "type" | "at" | "model_resolved">;

function toEnd(
  end: Exclude<TurnEnd, { kind: "left" }>,
  counted: Pick<Ending, "usage" | "model_calls" | "tool_calls" | "duration_ms">,
): Ending {
  if (end.kind === "outcome") return fromOutcome(end.outcome);
  const nothing = { finish_reason: null, text: null, cost: null };
  if (end.kind === "cancelled") return { ...nothing, ...counted, state: "cancelled", error: null };
  if (waitsAgain(end))
    return { ...nothing, ...counted, state: "waiting", finish_reason: "tool_calls", error: unstored };
  const error =
    end.error instanceof ServiceError
      ? { code: end.error.code, detail: end.error.message }
      : { code: "internal_error" as const, detail: "The run could not be carried out." };
  return { ...nothing, ...counted, state: "failed", error };
}

function fromOutcome(outcome: AgentOutcome): Ending {
  const { usage, cost, model_calls, tool_calls, duration_ms } = outcome;
  const totals = { usage, cost, model_calls, tool_calls: tool_calls.length, duration_ms };
  if (!outcome.ok) {
    const { code, detail } = outcome.error;
    return { ...totals, state: "failed", finish_reason: null, text: null, error: { code, detail } };
  }
  const state: AgentRunState = outcome.pending_run ? "waiting" : "completed";
  return { ...totals, state, finish_reason: outcome.finish_reason, text: outcome.reply.text, error: null };
}
