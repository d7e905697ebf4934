import type { Operation } from "./operation.ts";
import { PageConfig } from "../schemas/service-info.ts";
import { streamAgUi, streamUiMessages } from "./agent-chats.ts";
import {
  agentRunToScenario,
  deleteAgentThread,
  getAgentRun,
  getAgentThread,
  listAgentRuns,
  replayAgentRun,
} from "./agent-memory.ts";
import { getAgentUpstreams, getModel, listLocalServers, listModels, listStudioModels } from "./agent-models.ts";
import { callMcp, createChatCompletion, createResponse, resumeAgentRun, runAgentTurn } from "./agent-turns.ts";
import { healthz, readyz } from "./shared.ts";

const getAgentMetrics: Operation = {
  id: "getMetrics",
  method: "get",
  path: "/metrics",
  summary: "Turns, failures, tool calls, tokens and durations for Prometheus",
  tag: "Service",
  scope: "runs:read",
  responses: { 200: { description: "Prometheus text.", mediaTypes: ["text/plain"] } },
  errors: [],
};

const getPageConfig: Operation = {
  id: "getPageConfig",
  method: "get",
  path: "/page/config",
  summary: "What the page must know about the services",
  tag: "Page",
  responses: { 200: { description: "Addresses, version and the models known by name.", schema: PageConfig } },
  errors: [],
};

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
