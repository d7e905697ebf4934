import { startServices } from "../../src/cli/commands/serve.ts";
import { readSettings } from "../../src/settings.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { serviceEnvironment } from "./service-environment.ts";

export interface RunningServices extends AsyncDisposable {
  readonly agent: string;
  readonly evaluation: string;
}

/** Both services as an operator would start them, on free ports, with a store of their own and quick retries. */
export async function runServices(environment: Record<string, string> = {}): Promise<RunningServices> {
  const folder = await temporaryFolder();
  const { settings, warnings } = readSettings({
    ...serviceEnvironment,
    REHEARSAL_DATA_DIR: folder.path,
    REHEARSAL_UPSTREAM_RETRY_BASE_MS: "1",
    REHEARSAL_UPSTREAM_RETRY_CAP_MS: "5",
    LOG_LEVEL: "silent",
    ...environment,
  });
  if (warnings.length > 0) throw new Error(warnings.join("; "));
  const services = await startServices(settings, []);
  return {
    agent: services.agent.url,
    evaluation: services.evaluation.url,
    async [Symbol.asyncDispose]() {
      await services.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
