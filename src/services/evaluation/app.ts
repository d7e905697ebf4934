import { agentOperations } from "../../contract/operations/agent.ts";
import { analysisOperations } from "../../contract/operations/analysis.ts";
import { evaluationOperations } from "../../contract/operations/evaluation.ts";
import { libraryOperations } from "../../contract/operations/library.ts";
import { createShell, type Shell } from "../http/shell.ts";
import type { EvaluationDependencies } from "./dependencies.ts";
import { analysisRoutes } from "./routes/analysis.ts";
import { reviewRoutes } from "./routes/review.ts";
import { evaluateRoute } from "./routes/evaluate.ts";
import { runEventsRoute, runExportRoute, runRoutes } from "./routes/runs.ts";
import { scenarioRoutes } from "./routes/scenarios.ts";
import { worldRoute } from "./routes/worlds.ts";
import { worldPath } from "./world-endpoints.ts";

/** The evaluation service. */
export function createEvaluationApp(dependencies: EvaluationDependencies): Shell {
  const { log, version, apiKeys, allowedHosts, allowedOrigins, readiness, rateLimits, sharedRates, overload } =
    dependencies;
  const app = createShell({
    title: "Rehearsal evaluation service",
    version,
    description: "Runs scripted conversations against a model endpoint and scores every reply.",
    operations: [...evaluationOperations, ...analysisOperations, ...libraryOperations],
    neighbour: { name: "agent backend", operations: agentOperations },
    log,
    apiKeys,
    allowedHosts,
    allowedOrigins,
    readiness,
    rateLimits,
    sharedRates,
    overload,
    // The address of a world is its key.
    isPublic: ({ path }) => path.startsWith(worldPath),
  });
  if (dependencies.worlds) app.route("/", worldRoute(dependencies.worlds, dependencies));
  app
    .route("/", evaluateRoute(dependencies))
    .route("/", runRoutes(dependencies))
    .route("/", runEventsRoute(dependencies))
    .route("/", runExportRoute(dependencies))
    .route("/", analysisRoutes(dependencies))
    .route("/", reviewRoutes(dependencies))
    .route("/", scenarioRoutes(dependencies));
  return app;
}
