import type { AgentRunRecord } from "../../../contract/ports/agent-memory.ts";
import {
  summarizeRun,
  type AgentRunDetails,
  type AgentRunEnd,
  type AgentRunStarted,
} from "../../../contract/schemas/agent-run.ts";

/** What the log says about a run, and the log itself. */
export function toRunDetails(record: AgentRunRecord): AgentRunDetails {
  const summary = summarizeRun(record.id, record.entries) ?? withoutStart(record.id);
  return { ...summary, text: endOf(record)?.text ?? null, log: record.entries };
}

export function startOf({ id, entries }: AgentRunRecord): AgentRunStarted {
  const [start] = entries;
  return start?.type === "run-start" ? start : withoutStart(id);
}

/** The end of the run; null while it runs, also after it was resumed. */
export function endOf({ entries }: AgentRunRecord): AgentRunEnd | null {
  const last = entries.at(-1);
  return last?.type === "run-end" ? last : null;
}

function withoutStart(id: string): never {
  throw new Error(`The log of run ${id} does not begin with its start`);
}
