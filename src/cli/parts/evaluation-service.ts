import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import { createEvaluationApp } from "../../services/evaluation/app.ts";
import type { Core } from "./create-core.ts";
import { endpointChecker } from "./endpoint-checker.ts";
import { pageFolder } from "./page-folder.ts";
import { pageOrigins } from "./page-addresses.ts";
import type { Served } from "./served.ts";
import type { ShellOptions } from "./shell-options.ts";

/** The evaluation service, ready to be listened for or called in this process. */
export function evaluationService(
  { settings: { server, limits }, storage, clients, runs, helpers }: Core,
  { shell, library, served }: { shell: ShellOptions; library: ScenarioLibrary; served: Served },
) {
  return createEvaluationApp({
    ...shell,
    runs,
    library,
    helpers,
    reportTemplate: () => readFile(join(pageFolder, "report.html"), "utf8"),
    // Without a place to put a run it does nothing but show what there is. The agent still answers then.
    readiness: async () => {
      await shell.readiness();
      await storage.store.check();
      await storage.store.checkWrites();
    },
    bodyLimits: { ...shell.bodyLimits, bytes: limits.evaluationBodyBytes },
    planLimits: limits,
    checkEndpoint: endpointChecker(clients.evaluation),
    ownAgent: () => served.agent?.url ?? null,
    allowedOrigins: (host) => [...pageOrigins(host, served, server), ...server.corsOrigins],
  });
}
