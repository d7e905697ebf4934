import type { AgentThread, AgentThreadList } from "../../src/contract/schemas/agent-message.ts";
import type { AgentRunDetails, AgentRunList, AgentRunState, AgentWire } from "../../src/contract/schemas/agent-run.ts";
import type { AgentReplay } from "../../src/contract/schemas/agent-stream.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { agentUrl, fetchJson, request } from "./http.ts";

export interface AgentRunFilters {
  readonly state?: AgentRunState | undefined;
  readonly wire?: AgentWire | undefined;
  readonly model_id?: string | undefined;
  readonly thread_id?: string | undefined;
}

export const fetchAgentRuns = (
  filters: AgentRunFilters & { cursor?: string | undefined },
  signal: AbortSignal,
): Promise<AgentRunList> => fetchJson(withQuery("/agent/runs", filters), { signal });

export const fetchAgentRun = (id: string, signal: AbortSignal): Promise<AgentRunDetails> =>
  fetchJson(runUrl(id), { signal });

/** Runs the recorded replies through the current agent. No model is called. */
export const replayAgentRun = (id: string): Promise<AgentReplay> =>
  fetchJson(runUrl(id, "/replay"), { method: "POST" });

/** Stores the conversation of a run as a scenario of the library. */
export const saveRunAsScenario = (id: string): Promise<Scenario> =>
  fetchJson(runUrl(id, "/scenario"), { method: "POST" });

export const fetchAgentThreads = (cursor: string | undefined, signal: AbortSignal): Promise<AgentThreadList> =>
  fetchJson(withQuery("/agent/threads", { cursor }), { signal });

export const fetchAgentThread = (id: string, signal: AbortSignal): Promise<AgentThread> =>
  fetchJson(threadUrl(id), { signal });

export async function deleteAgentThread(id: string): Promise<void> {
  await request(threadUrl(id), { method: "DELETE" });
}

const runUrl = (id: string, rest = ""): URL => agentUrl(`/agent/runs/${encodeURIComponent(id)}${rest}`);
const threadUrl = (id: string): URL => agentUrl(`/agent/threads/${encodeURIComponent(id)}`);

function withQuery(path: string, query: object): URL {
  const url = agentUrl(path);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, String(value));
  return url;
}
