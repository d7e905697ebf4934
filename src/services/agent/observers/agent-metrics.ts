import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { AgentEvent } from "../../../agent/loop/agent-outcome.ts";
import type { Reply } from "../../../contract/ports/chat-model.ts";
import type { TurnEnd, AgentTurnFacts, TurnObserver } from "../turns/turn.ts";

export interface AgentMetrics {
  readonly registry: Registry;
  readonly observe: TurnObserver;
  /** Counts a request that was refused because the service was overloaded. */
  readonly countRefusal: () => void;
}

/** From one millisecond, for a model in the same process, to the longest runs. */
const seconds = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counts turns for Prometheus. Labels have few values, so models, threads and callers are not labels. */
export function createAgentMetrics(): AgentMetrics {
  const registry = new Registry();
  const registers = [registry];
  const meters = {
    running: new Gauge({ name: "rehearsal_agent_turns_running", help: "Running turns.", registers }),
    turns: new Counter({
      name: "rehearsal_agent_turns_total",
      help: "Turns that ended, by wire and state.",
      labelNames: ["wire", "state"],
      registers,
    }),
    failures: new Counter({
      name: "rehearsal_agent_turn_failures_total",
      help: "Turns that failed, by error code.",
      labelNames: ["code"],
      registers,
    }),
    duration: new Histogram({
      name: "rehearsal_agent_turn_duration_seconds",
      help: "How long turns took.",
      labelNames: ["wire"],
      buckets: seconds,
      registers,
    }),
    modelCalls: new Counter({
      name: "rehearsal_agent_model_calls_total",
      help: "Calls to models, by provider and outcome.",
      labelNames: ["provider", "outcome"],
      registers,
    }),
    modelDuration: new Histogram({
      name: "rehearsal_agent_model_call_duration_seconds",
      help: "How long models took.",
      labelNames: ["provider"],
      buckets: seconds,
      registers,
    }),
    toolCalls: new Counter({
      name: "rehearsal_agent_tool_calls_total",
      help: "Tool calls carried out, by tool and outcome.",
      labelNames: ["tool", "outcome"],
      registers,
    }),
    toolDuration: new Histogram({
      name: "rehearsal_agent_tool_duration_seconds",
      help: "How long tools took.",
      labelNames: ["tool"],
      buckets: seconds,
      registers,
    }),
    tokens: new Counter({
      name: "rehearsal_agent_tokens_total",
      help: "Tokens as the providers counted them.",
      labelNames: ["direction"],
      registers,
    }),
  };
  const refusals = new Counter({
    name: "rehearsal_agent_requests_refused_total",
    help: "Requests refused because the service was at its limit.",
    registers,
  });
  return { registry, observe: (facts) => watch(meters, facts), countRefusal: () => refusals.inc() };
}

type Meters = {
  readonly running: Gauge;
  readonly turns: Counter<"wire" | "state">;
  readonly failures: Counter<"code">;
  readonly duration: Histogram<"wire">;
  readonly modelCalls: Counter<"provider" | "outcome">;
  readonly modelDuration: Histogram<"provider">;
  readonly toolCalls: Counter<"tool" | "outcome">;
  readonly toolDuration: Histogram<"tool">;
  readonly tokens: Counter<"direction">;
};

function watch(meters: Meters, facts: AgentTurnFacts): ReturnType<TurnObserver> {
  const started = performance.now();
  const openCalls = new Set<number>();
  const openTools = new Map<string, string>();
  let running = false;

  /** Calls that the end of the turn interrupted had been started, so they count. */
  function countCutOff(outcome: "cancelled" | "internal_error"): void {
    for (const _ of openCalls) meters.modelCalls.inc({ provider: facts.provider(), outcome });
    for (const tool of openTools.values()) meters.toolCalls.inc({ tool, outcome: "cut_off" });
  }

  return {
    onEvent(event) {
      if (event.type === "run-start") {
        running = true;
        meters.running.inc();
        return;
      }
      if (event.type === "model-start") openCalls.add(event.call);
      else if (event.type === "model-end") openCalls.delete(event.call);
      else if (event.type === "tool-start") openTools.set(event.tool_call.id, event.tool_call.name);
      else if (event.type === "tool-end") openTools.delete(event.tool_call.id);
      countEvent(meters, facts, event);
    },
    onPassedOver({ route: { provider }, reply }) {
      countModelCall(meters, provider, reply);
    },
    onEnd(end) {
      if (!running) return;
      meters.running.dec();
      meters.duration.observe({ wire: facts.wire }, (performance.now() - started) / 1000);
      if (end.kind !== "outcome") countCutOff(end.kind === "crashed" ? "internal_error" : "cancelled");
      countEnd(meters, facts, end);
    },
  };
}

function countEvent(meters: Meters, facts: AgentTurnFacts, event: AgentEvent): void {
  if (event.type === "tool-end") {
    const { name: tool, ok, duration_ms } = event.tool_call;
    meters.toolCalls.inc({ tool, outcome: ok ? "ok" : "failed" });
    meters.toolDuration.observe({ tool }, duration_ms / 1000);
  } else if (event.type === "model-end") {
    const { reply } = event;
    countModelCall(meters, facts.provider(), reply);
    if (!reply?.ok || !reply.usage) return;
    meters.tokens.inc({ direction: "input" }, reply.usage.prompt_tokens);
    meters.tokens.inc({ direction: "output" }, reply.usage.completion_tokens);
  }
}

function countModelCall({ modelCalls, modelDuration }: Meters, provider: string, reply: Reply | null): void {
  const outcome = reply === null ? "cut_off" : reply.ok ? "ok" : reply.error.code;
  modelCalls.inc({ provider, outcome });
  if (reply) modelDuration.observe({ provider }, reply.latency_ms / 1000);
}

function countEnd({ turns, failures }: Meters, { wire }: AgentTurnFacts, end: TurnEnd): void {
  if (end.kind === "cancelled" || end.kind === "interrupted") return turns.inc({ wire, state: "cancelled" });
  if (end.kind === "outcome" && end.outcome.ok) {
    return turns.inc({ wire, state: end.outcome.pending_run ? "waiting" : "completed" });
  }
  turns.inc({ wire, state: "failed" });
  const failed = end.kind === "outcome" && !end.outcome.ok ? end.outcome.error.code : "internal_error";
  failures.inc({ code: failed });
}
