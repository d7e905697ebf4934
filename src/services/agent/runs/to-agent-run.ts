import type { AgentRunDetails, AgentRunEnd, AgentRunStarted, AgentRunSummary } from "../../../contract/agent-run.ts";
import type { AgentRunRecord } from "../../../contract/agent-run-log.ts";
import { noUsage } from "../../../contract/usage.ts";

/** What the log says about a run, in short. A run that was resumed counts as a whole: its last end tells. */
export function toRunSummary({ id, entries }: AgentRunRecord): AgentRunSummary {
  const start = startOf({ id, entries });
  const end = endOf({ id, entries });
  const calls = entries.filter((entry) => entry.type === "model-call").length;
  const tools = entries.filter((entry) => entry.type === "tool-call").length;
  return {
    id,
    state: end?.state ?? "running",
    wire: start.wire,
    model_id: start.model_id,
    model_resolved: end?.model_resolved ?? start.model_resolved,
    thread_id: start.thread_id,
    created_at: start.at,
    finished_at: end?.at ?? null,
    duration_ms: end?.duration_ms ?? null,
    finish_reason: end?.finish_reason ?? null,
    error: end?.error ?? null,
    usage: end?.usage ?? noUsage,
    cost: end?.cost ?? null,
    model_calls: end?.model_calls ?? calls,
    tool_calls: end?.tool_calls ?? tools,
  };
}

export function toRunDetails(record: AgentRunRecord): AgentRunDetails {
  return { ...toRunSummary(record), text: endOf(record)?.text ?? null, log: record.entries };
}

export function startOf({ id, entries }: AgentRunRecord): AgentRunStarted {
  const [start] = entries;
  if (start?.type !== "run-start") throw new Error(`The log of run ${id} does not begin with its start`);
  return start;
}

/** The end of the run; null while it runs, also after it was resumed. */
export function endOf({ entries }: AgentRunRecord): AgentRunEnd | null {
  const last = entries.at(-1);
  return last?.type === "run-end" ? last : null;
}
