import type { AgentOutcome, AskedToolCall, ToolRun } from "../../../agent/loop/agent-outcome.ts";
import { toAgentReply } from "../../../agent/messages/agent-reply.ts";
import type {
  AgentRunEnd,
  AgentRunStarted,
  AgentRunState,
  RecordedMessage,
} from "../../../contract/schemas/agent/agent-run.ts";
import type { AgentRunLog } from "../../../contract/ports/agent-memory.ts";
import type { ChatMessage, Reply } from "../../../contract/ports/chat-model.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { addUsage, noUsage, toUsage } from "../../../contract/schemas/shared/usage.ts";
import type { TurnEnd, AgentTurnFacts, TurnObserver } from "../turns/turn.ts";

/** Writes every turn into the run log while it happens. */
export function recordTurns({ log }: { log: AgentRunLog }): TurnObserver {
  return (facts) => {
    const { runId, resolved, earlier } = facts;
    const callsStartedAt = new Map<number, number>();
    const openTools = new Map<string, { readonly call: AskedToolCall; readonly at: number }>();
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
      // Rounded because V8 represents the difference now as an integer, now as a double, and deoptimizes this function each time.
      const duration_ms = Math.round(Date.now() - at);
      log.append(runId, { type: "model-call", at, call, duration_ms, model_resolved: resolved(), reply });
    }
    function recordTool({ id, name, args, ok, result, duration_ms }: ToolRun): void {
      const at = Date.now() - duration_ms;
      openTools.delete(id);
      tools += 1;
      log.append(runId, { type: "tool-call", at, id, name, args: { ...args }, ok, result, duration_ms });
    }
    /** Records calls that the end of the run interrupted: the provider charges for them, and a tool may have done its work. */
    function recordCutOff(): void {
      for (const call of callsStartedAt.keys()) recordModelCall(call, null);
      for (const { call, at } of openTools.values()) {
        recordTool({ ...call, ok: false, result: cutOff, duration_ms: Math.round(Date.now() - at) });
      }
    }

    let recorded: TurnEnd["kind"] | null = null;
    function recordEnd(end: Exclude<TurnEnd, { kind: "interrupted" }>): void {
      recorded = end.kind;
      if (end.kind !== "outcome" && !waitsAgain(end)) recordCutOff();
      // Used only without an outcome, which has totals of its own.
      const duration_ms = (earlier?.duration_ms ?? 0) + Date.now() - facts.startedAt;
      const counted = { usage, model_calls: calls, tool_calls: tools, duration_ms };
      log.append(runId, {
        type: "run-end",
        at: Date.now(),
        model_resolved: resolved(),
        ...toRecordedEnd(end, counted, facts),
      });
    }

    return {
      onEvent(event) {
        if (event.type === "run-start") start();
        else if (event.type === "model-start") callsStartedAt.set(event.call, Date.now());
        else if (event.type === "model-end") recordModelCall(event.call, event.reply);
        else if (event.type === "tool-start") {
          openTools.set(event.tool_call.id, { call: event.tool_call, at: Date.now() });
        } else if (event.type === "tool-end") recordTool(event.tool_call);
      },
      async onEnding(end) {
        if (!started && end.kind === "outcome") start();
        if (!started || end.kind === "interrupted") return;
        recordEnd(end);
        // A run whose end is stored elsewhere and not in its log would be taken for one whose process died.
        await log.flush().catch(() => {});
      },
      onEnd(end) {
        if (!started && end.kind === "outcome") start();
        // The decisions were rejected: the run keeps waiting.
        if (!started) return;
        // The process that continues the run records the rest.
        if (end.kind === "interrupted") return;
        if (end.kind !== recorded) recordEnd(end);
        facts.memory?.keepDuring(log.written(runId));
      },
    };
  };
}

const cutOff = "The run ended before the tool returned a result. The call may or may not have been carried out.";

function writeStart(log: AgentRunLog, facts: AgentTurnFacts): void {
  const { runId, startedAt: at, decisions } = facts;
  if (decisions) {
    const entries = Object.entries(decisions).map(([id, decision]) => [
      id,
      typeof decision === "object" && "args" in decision && decision.args ? { args: { ...decision.args } } : decision,
    ]);
    return log.append(runId, { type: "run-resume", at, decisions: Object.fromEntries(entries) });
  }
  const start: AgentRunStarted = {
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
  };
  log.append(runId, facts.recovered ? { ...start, recovered: true } : start);
}

/** The message without cache markers and images: every turn sends the images again, and they are too large to store each time. */
function toRecorded(message: ChatMessage): RecordedMessage {
  if (message.cache_marks) {
    const { cache_marks: _, ...unmarked } = message;
    return unmarked;
  }
  if (message.role !== "user" || !message.parts) return message;
  const { parts, ...rest } = message;
  return { ...rest, images: parts.filter(({ type }) => type === "image").length };
}

/** True when the run can be resumed; the process that does so records the interrupted calls. */
const waitsAgain = (end: TurnEnd): boolean => end.kind === "crashed" && end.resumable === true;

const unstored = {
  code: "storage_unavailable" as const,
  detail: "The store failed after the run was resumed. Send the same decisions again; no completed step is repeated.",
};

type TurnEnding = Omit<AgentRunEnd, "type" | "at" | "model_resolved">;

function toRecordedEnd(
  end: Exclude<TurnEnd, { kind: "interrupted" }>,
  counted: Pick<TurnEnding, "usage" | "model_calls" | "tool_calls" | "duration_ms">,
  { runId, isAsync }: Pick<AgentTurnFacts, "runId" | "isAsync">,
): TurnEnding {
  if (end.kind === "outcome") {
    const { outcome } = end;
    const ending = fromOutcome(outcome);
    // Nothing else stores this response.
    return isAsync && outcome.ok ? { ...ending, message: toAgentReply(outcome, `run--${runId}`) } : ending;
  }
  const nothing = { finish_reason: null, text: null, cost: null };
  if (end.kind === "cancelled") return { ...nothing, ...counted, state: "cancelled", error: null };
  if (waitsAgain(end))
    return { ...nothing, ...counted, state: "waiting", finish_reason: "tool_calls", error: unstored };
  const error =
    end.error instanceof ServiceError
      ? { code: end.error.code, detail: end.error.message }
      : { code: "internal_error" as const, detail: "The run failed unexpectedly." };
  return { ...nothing, ...counted, state: "failed", error };
}

function fromOutcome(outcome: AgentOutcome): TurnEnding {
  const { usage, cost, model_calls, tool_calls, duration_ms } = outcome;
  const totals = { usage, cost, model_calls, tool_calls: tool_calls.length, duration_ms };
  if (!outcome.ok) {
    const { code, detail } = outcome.error;
    return { ...totals, state: "failed", finish_reason: null, text: null, error: { code, detail } };
  }
  const state: AgentRunState = outcome.pending_run ? "waiting" : "completed";
  const waiting = outcome.pending_run && { waiting_calls: outcome.pending_tool_calls.map(({ id }) => id) };
  return { ...totals, ...waiting, state, finish_reason: outcome.finish_reason, text: outcome.reply.text, error: null };
}
