import type { AgentRunEntry, AgentRunSummary } from "./agent-run.ts";
import { noUsage } from "./usage.ts";

/**
 * The summary of a run after one more entry of its log. A run that was resumed counts as a whole: its last end tells.
 * Null before the run's start, without which nothing can be said about it.
 */
export function advanceSummary(
  id: string,
  summary: AgentRunSummary | null,
  entry: AgentRunEntry,
): AgentRunSummary | null {
  if (entry.type === "run-start") return startSummary(id, entry);
  if (!summary) return null;
  switch (entry.type) {
    case "run-resume":
      return { ...summary, state: "running", finished_at: null, duration_ms: null, finish_reason: null, error: null };
    case "model-call":
      return { ...summary, model_calls: summary.model_calls + 1 };
    case "tool-call":
      return { ...summary, tool_calls: summary.tool_calls + 1 };
    case "run-end": {
      const { type: _type, at: finished_at, text: _text, ...end } = entry;
      return { ...summary, ...end, finished_at };
    }
  }
}

function startSummary(id: string, start: Extract<AgentRunEntry, { type: "run-start" }>): AgentRunSummary {
  return {
    id,
    state: "running",
    wire: start.wire,
    model_id: start.model_id,
    model_resolved: start.model_resolved,
    thread_id: start.thread_id,
    created_at: start.at,
    finished_at: null,
    duration_ms: null,
    finish_reason: null,
    error: null,
    usage: noUsage,
    cost: null,
    model_calls: 0,
    tool_calls: 0,
  };
}

/** The summary of a whole log. */
export function summarizeRun(id: string, entries: readonly AgentRunEntry[]): AgentRunSummary | null {
  return entries.reduce<AgentRunSummary | null>((summary, entry) => advanceSummary(id, summary, entry), null);
}
