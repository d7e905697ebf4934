import { agentAddresses } from "../../contract/operations/addresses.ts";
import { evaluationReadinessRoute, healthRoute } from "../http/health.ts";
import { operationsOf, type Route } from "../http/route.ts";
import { createShell, type Shell } from "../http/shell.ts";
import type { EvaluationDependencies } from "./dependencies.ts";
import { analysisRoutes } from "./routes/analysis.ts";
import { evaluateRoute } from "./routes/evaluate.ts";
import { evaluationMetricsRoute } from "./routes/metrics.ts";
import { otelRoutes } from "./routes/otel.ts";
import { reviewRoutes } from "./routes/review.ts";
import { exportRoute, runRoutes } from "./routes/runs.ts";
import { scenarioRoutes } from "./routes/scenarios.ts";
import { worldRoutes } from "./routes/worlds.ts";

/** Every route of the evaluation service that is part of its API. */
export const evaluationRoutes: readonly Route<EvaluationDependencies>[] = [
  evaluateRoute,
  ...runRoutes,
  healthRoute,
  evaluationReadinessRoute,
  evaluationMetricsRoute,
  ...analysisRoutes,
  exportRoute,
  ...reviewRoutes,
  ...scenarioRoutes,
];

export const evaluationOperations = operationsOf(evaluationRoutes);

/** The evaluation service. */
export function createEvaluationApp(dependencies: EvaluationDependencies): Shell {
  const {
    log,
    version,
    bodyLimits,
    apiKeys,
    allowedHosts,
    allowedOrigins,
    rateLimits,
    sharedRates,
    overload,
    worlds,
    spans,
  } = dependencies;
  const shell = createShell({
    title: "Rehearsal evaluation service",
    version,
    description: "Runs scripted conversations against a model endpoint and scores every reply.",
    neighbour: { name: "agent backend", addresses: agentAddresses },
    log,
    bodyLimits,
    apiKeys,
    allowedHosts,
    allowedOrigins,
    rateLimits,
    sharedRates,
    overload,
  });
  for (const route of evaluationRoutes) shell.mount(route, dependencies);
  if (spans) for (const route of otelRoutes) shell.mount(route, spans);
  if (worlds) for (const route of worldRoutes) shell.mount(route, worlds);
  return shell;
}
