import { agentOperations } from "../../contract/operations/agent.ts";
import { analysisOperations } from "../../contract/operations/analysis.ts";
import { evaluationOperations } from "../../contract/operations/evaluation.ts";
import { libraryOperations } from "../../contract/operations/library.ts";
import { isServed } from "../http/not-found.ts";
import { createShell, type Shell } from "../http/shell.ts";
import { createAgentParts } from "./agent-parts.ts";
import type { AgentDependencies } from "./dependencies.ts";
import { agUiRoute } from "./routes/ag-ui.ts";
import { demoRoutes } from "./routes/demo.ts";
import { mcpRoute } from "./routes/mcp.ts";
import { modelRoutes } from "./routes/models.ts";
import { openAiChatRoute } from "./routes/openai-chat.ts";
import { openAiResponsesRoute } from "./routes/openai-responses.ts";
import { isPagePath, showsNotFoundScreen, pageRoutes } from "./routes/page.ts";
import { agentRunRoutes } from "./routes/runs.ts";
import { agentThreadRoutes } from "./routes/threads.ts";
import { agentTurnRoute } from "./routes/turn.ts";
import { statusRoutes } from "./routes/status.ts";
import { uiMessagesRoute } from "./routes/ui-messages.ts";

/** The agent backend, which also serves the page. */
export function createAgentApp(dependencies: AgentDependencies, parts = createAgentParts(dependencies)): Shell {
  const { log, version, apiKeys, allowedHosts, allowedOrigins, readiness, demo, rateLimits, sharedRates, overload } =
    dependencies;
  const app: Shell = createShell({
    title: "Rehearsal agent backend",
    version,
    description: "Sends a conversation to a tool-using agent and returns its last message.",
    operations: agentOperations,
    neighbour: {
      name: "evaluation service",
      operations: [...evaluationOperations, ...analysisOperations, ...libraryOperations],
    },
    log,
    apiKeys,
    allowedHosts,
    allowedOrigins,
    readiness,
    rateLimits,
    sharedRates,
    overload,
    onRefusal: parts.metrics.countRefusal,
    // An API route is never public: the page's not-found screen is served only for paths without a route.
    isPublic: ({ method, path, accept }) =>
      ["GET", "HEAD"].includes(method) &&
      (isPagePath(path) || (showsNotFoundScreen({ path, accept }) && !isServed(app, path))),
  });
  app
    .route("/", agentTurnRoute(dependencies, parts))
    .route("/", agentRunRoutes(dependencies, parts))
    .route("/", agentThreadRoutes(parts))
    .route("/", openAiChatRoute(dependencies, parts))
    .route("/", openAiResponsesRoute(dependencies, parts))
    .route("/", uiMessagesRoute(dependencies, parts))
    .route("/", agUiRoute(dependencies, parts))
    .route("/", mcpRoute(dependencies, parts))
    .route("/", modelRoutes(dependencies))
    .route("/", statusRoutes(dependencies, parts));
  if (demo) app.route("/", demoRoutes({ demo, bodyLimits: dependencies.bodyLimits }));
  app.route("/", pageRoutes(dependencies.page));
  return app;
}
