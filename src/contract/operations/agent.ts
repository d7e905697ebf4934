import {
  agentRunToScenario,
  deleteAgentThread,
  getAgentRun,
  getAgentThread,
  listAgentRuns,
  replayAgentRun,
} from "./agent-memory.ts";
import { getAgentUpstreams, getModel, listLocalServers, listModels, listStudioModels } from "./agent-models.ts";
import {
  callMcp,
  createChatCompletion,
  createResponse,
  resumeAgentRun,
  runAgentTurn,
  streamAgUi,
  streamUiMessages,
} from "./agent-turns.ts";
import type { Operation } from "./operation.ts";
import { getAgentMetrics, getPageConfig, healthz, readyz } from "./service.ts";

/** Every route of the agent backend. */
export const agentOperations: readonly Operation[] = [
  runAgentTurn,
  listStudioModels,
  createChatCompletion,
  createResponse,
  streamUiMessages,
  streamAgUi,
  listModels,
  getModel,
  resumeAgentRun,
  listAgentRuns,
  getAgentRun,
  replayAgentRun,
  agentRunToScenario,
  getAgentThread,
  deleteAgentThread,
  getAgentUpstreams,
  listLocalServers,
  callMcp,
  getPageConfig,
  getAgentMetrics,
  healthz,
  readyz,
];
