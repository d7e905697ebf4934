import {
  agentRunToScenario,
  cancelAgentRun,
  deleteAgentThread,
  getAgentRun,
  getAgentThread,
  listAgentRuns,
  listAgentThreads,
  replayAgentRun,
} from "./agent-memory.ts";
import {
  getAgentUpstreams,
  getModel,
  listLocalServers,
  listModelProviders,
  listModels,
  listStudioModels,
  testModelProvider,
} from "./agent-models.ts";
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
import { getAgentMetrics, getPage, getPageConfig, healthz, readyz } from "./service.ts";

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
  cancelAgentRun,
  replayAgentRun,
  agentRunToScenario,
  listAgentThreads,
  getAgentThread,
  deleteAgentThread,
  getAgentUpstreams,
  listLocalServers,
  listModelProviders,
  testModelProvider,
  callMcp,
  getPage,
  getPageConfig,
  getAgentMetrics,
  healthz,
  readyz,
];
