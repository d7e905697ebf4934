import { evaluationAddresses } from "../../contract/operations/addresses.ts";
import { healthRoute, readinessRoute } from "../http/health.ts";
import { operationsOf, type Route } from "../http/route.ts";
import { createShell, type Shell } from "../http/shell.ts";
import { createAgentParts, type AgentServices } from "./agent-parts.ts";
import type { AgentDependencies } from "./dependencies.ts";
import { agUiRoute } from "./routes/ag-ui.ts";
import { demoRoutes } from "./routes/demo.ts";
import { mcpRoute } from "./routes/mcp.ts";
import { modelRoutes, providerRoutes, studioModelsRoute } from "./routes/models.ts";
import { openAiChatRoute } from "./routes/openai-chat.ts";
import { openAiResponsesRoutes } from "./routes/openai-responses.ts";
import { pageConfigRoute, pageRoute } from "./routes/page.ts";
import { agentRunRoutes } from "./routes/runs.ts";
import { metricsRoute, upstreamRoutes } from "./routes/status.ts";
import { agentThreadRoutes } from "./routes/threads.ts";
import { agentTurnRoute } from "./routes/turn.ts";
import { uiMessagesRoute } from "./routes/ui-messages.ts";

/** Every route of the agent backend that is part of its API. */
export const agentRoutes: readonly Route<AgentServices>[] = [
  agentTurnRoute,
  studioModelsRoute,
  openAiChatRoute,
  ...openAiResponsesRoutes,
  uiMessagesRoute,
  agUiRoute,
  ...modelRoutes,
  ...agentRunRoutes,
  ...agentThreadRoutes,
  ...upstreamRoutes,
  ...providerRoutes,
  mcpRoute,
  pageRoute,
  pageConfigRoute,
  metricsRoute,
  healthRoute,
  readinessRoute,
];

export const agentOperations = operationsOf(agentRoutes);

/** The agent backend, which also serves the page. */
export function createAgentApp(dependencies: AgentDependencies, parts = createAgentParts(dependencies)): Shell {
  const { log, version, bodyLimits, apiKeys, allowedHosts, allowedOrigins, demo, rateLimits, sharedRates, overload } =
    dependencies;
  const shell = createShell({
    title: "Rehearsal agent backend",
    version,
    description: "Sends a conversation to a tool-using agent and returns its last message.",
    neighbour: { name: "evaluation service", addresses: evaluationAddresses },
    log,
    bodyLimits,
    apiKeys,
    allowedHosts,
    allowedOrigins,
    rateLimits,
    sharedRates,
    overload,
    onRefusal: parts.metrics.countRefusal,
    files: parts.pageFiles,
  });
  for (const route of agentRoutes) shell.mount(route, { ...dependencies, ...parts });
  if (demo) for (const route of demoRoutes) shell.mount(route, demo);
  return shell;
}
