import type { AgentRunEntry, AgentRunSummary } from "./agent-run.ts";
import { addUsage, noUsage, toUsage } from "./usage.ts";

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
      return { ...summary, ...underWay };
    case "model-call": {
      const counted = entry.reply?.ok && entry.reply.usage ? toUsage(entry.reply.usage) : null;
      return { ...summary, model_calls: summary.model_calls + 1, usage: addUsage(summary.usage, counted) };
    }
    case "tool-call":
      return { ...summary, tool_calls: summary.tool_calls + 1 };
    case "run-end":
      return {
        ...summary,
        state: entry.state,
        model_resolved: entry.model_resolved,
        finished_at: entry.at,
        duration_ms: entry.duration_ms,
        finish_reason: entry.finish_reason,
        error: entry.error,
        usage: entry.usage,
        cost: entry.cost,
        model_calls: entry.model_calls,
        tool_calls: entry.tool_calls,
      };
  }
}

/** What only the end of a run tells. */
const underWay = {
  state: "running",
  finished_at: null,
  duration_ms: null,
  finish_reason: null,
  error: null,
  cost: null,
} as const;

function startSummary(id: string, start: Extract<AgentRunEntry, { type: "run-start" }>): AgentRunSummary {
  return {
    ...underWay,
    id,
    wire: start.wire,
    model_id: start.model_id,
    model_resolved: start.model_resolved,
    thread_id: start.thread_id,
    created_at: start.at,
    usage: noUsage,
    model_calls: 0,
    tool_calls: 0,
  };
}

/** The summary of a whole log. */
export function summarizeRun(id: string, entries: readonly AgentRunEntry[]): AgentRunSummary | null {
  return entries.reduce<AgentRunSummary | null>((summary, entry) => advanceSummary(id, summary, entry), null);
}
