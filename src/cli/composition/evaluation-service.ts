import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import { createEvaluationApp } from "../../services/evaluation/app.ts";
import type { WorldServer } from "../../services/evaluation/routes/world-endpoints.ts";
import type { SpanReceiver } from "../../services/evaluation/otel/receiver.ts";
import { endpointChecker } from "./clients.ts";
import type { Core } from "./core.ts";
import type { HttpShellOptions } from "./http-shell.ts";
import { pageFolder, pageOrigins, type LocalServices } from "./local-services.ts";

/** The evaluation service as an HTTP application. */
export function createEvaluationService(
  { settings: { server, limits, redact }, storage, clients, runs, helpers }: Core,
  {
    shell,
    library,
    local,
    worlds,
    spans,
  }: {
    shell: HttpShellOptions;
    library: ScenarioLibrary;
    local: LocalServices;
    worlds?: WorldServer;
    spans?: SpanReceiver;
  },
) {
  return createEvaluationApp({
    ...shell,
    runs,
    workload: () => storage.store.workload(),
    library,
    helpers,
    redact,
    worlds,
    spans,
    reportTemplate: () => readFile(join(pageFolder, "report.html"), "utf8"),
    // Without a writable store the service can only show stored runs. The agent backend still answers then.
    readiness: async () => {
      await shell.readiness();
      await storage.store.check();
      await storage.store.checkWrites();
    },
    bodyLimits: { ...shell.bodyLimits, bytes: limits.evaluationBodyBytes },
    planLimits: limits,
    checkEndpoint: endpointChecker(clients.evaluation),
    ownAgent: () => local.agent?.url ?? null,
    allowedOrigins: (host) => [...pageOrigins(host, local, server), ...server.corsOrigins],
  });
}
