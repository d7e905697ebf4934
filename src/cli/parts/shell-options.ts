import { ServiceError } from "../../contract/errors.ts";
import type { ApiKeys } from "../../services/http/auth.ts";
import { createKeySource } from "../../services/http/key-store.ts";
import { defaultMemoryLimit, watchProcessLoad } from "../../services/http/process-load.ts";
import { keyFileIn } from "../../settings/api-keys.ts";
import { version } from "../version.ts";
import type { Core } from "./create-core.ts";

/** What the shells of both services have in common. */
export type ShellOptions = ReturnType<typeof createShellOptions>["options"];

/** `apiKeys`: instead of those of the environment and the data folder, which are for others who reach a service over the network. */
export function createShellOptions({ settings, storage, log }: Core, { apiKeys }: { apiKeys?: ApiKeys } = {}) {
  const { server, overload, rateLimits, limits, dataDir } = settings;
  const load = watchProcessLoad();
  const keySource = createKeySource({ file: keyFileIn(dataDir), fixed: server.apiKeys, hadKeys: server.storedKeys });
  let stopping = false;
  return {
    options: {
      log,
      version,
      apiKeys: apiKeys ?? keySource,
      allowedHosts: server.allowedHosts,
      rateLimits,
      overload: { ...overload, rssBytes: overload.rssBytes || defaultMemoryLimit(), load: load.read },
      readiness: async () => {
        if (stopping) throw new ServiceError("shutting_down", "The service is stopping.");
        await storage.store.check();
        // As long as they cannot be read nobody is let in.
        if (!apiKeys) await keySource.keys();
      },
      bodyLimits: { depth: limits.jsonDepth, keys: limits.objectKeys },
    },
    /** From now on the services say that they are not ready. */
    stop() {
      stopping = true;
    },
    [Symbol.dispose]: load.stop,
  };
}
