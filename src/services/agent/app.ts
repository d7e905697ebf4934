import type { Hono } from "hono";
import { agentOperations } from "../../contract/operations/agent.ts";
import { createShell } from "../http/shell.ts";
import type { ShellEnvironment } from "../http/shell-environment.ts";
import type { AgentDependencies } from "./dependencies.ts";
import { agentTurnRoute } from "./routes/agent-turn.ts";
import { demoRoutes } from "./routes/demo.ts";
import { isPagePath, pageRoutes } from "./routes/page.ts";
import { studioModelsRoute } from "./routes/studio-models.ts";

/** The agent backend, which also serves the page. */
export function createAgentApp(dependencies: AgentDependencies): Hono<ShellEnvironment> {
  const { log, version, apiKeys, allowedHosts, allowedOrigins, readiness, demo } = dependencies;
  const app = createShell({
    title: "Rehearsal agent backend",
    version,
    description: "Sends a conversation to a tool-using agent and returns its last message.",
    operations: agentOperations,
    log,
    apiKeys,
    allowedHosts,
    allowedOrigins,
    readiness,
    isPublic: ({ method, path }) => method === "GET" && isPagePath(path),
  })
    .route("/", agentTurnRoute(dependencies))
    .route("/", studioModelsRoute(dependencies));
  if (demo) app.route("/", demoRoutes({ demo, bodyLimits: dependencies.bodyLimits }));
  return app.route("/", pageRoutes(dependencies.page));
}
