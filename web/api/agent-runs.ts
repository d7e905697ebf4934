import type { AgentThread, AgentThreadList } from "../../src/contract/schemas/agent/agent-message.ts";
import type {
  AgentRunDetails,
  AgentRunList,
  AgentRunState,
  AgentWire,
} from "../../src/contract/schemas/agent/agent-run.ts";
import type { AgentReplay } from "../../src/contract/schemas/agent/agent-stream.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { ask, send } from "./http.ts";

export interface AgentRunFilters {
  readonly state?: AgentRunState | undefined;
  readonly wire?: AgentWire | undefined;
  readonly model_id?: string | undefined;
  readonly thread_id?: string | undefined;
}

export const fetchAgentRuns = (
  filters: AgentRunFilters & { cursor?: string | undefined },
  signal: AbortSignal,
): Promise<AgentRunList> => ask("listAgentRuns", { query: filters, signal });

export const fetchAgentRun = (id: string, signal: AbortSignal): Promise<AgentRunDetails> =>
  ask("getAgentRun", { parameters: { run_id: id }, signal });

/** Runs the recorded replies through the current agent. No model is called. */
export const replayAgentRun = (id: string): Promise<AgentReplay> =>
  ask("replayAgentRun", { parameters: { run_id: id } });

/** Stores the conversation of a run as a scenario of the library. */
export const saveRunAsScenario = (id: string): Promise<Scenario> =>
  ask("agentRunToScenario", { parameters: { run_id: id } });

export const fetchAgentThreads = (cursor: string | undefined, signal: AbortSignal): Promise<AgentThreadList> =>
  ask("listAgentThreads", { query: { cursor }, signal });

export const fetchAgentThread = (id: string, signal: AbortSignal): Promise<AgentThread> =>
  ask("getAgentThread", { parameters: { thread_id: id }, signal });

export async function deleteAgentThread(id: string): Promise<void> {
  await send("deleteAgentThread", { parameters: { thread_id: id } });
}
