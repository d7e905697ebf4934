import { createByteBudget } from "../../base/byte-budget.ts";
import { ServiceError } from "../../contract/errors.ts";
import { isKeySource, type ApiKeys } from "../../services/http/auth/auth.ts";
import { createKeySource, createSharedKeySource, type KeySource } from "../../services/http/auth/key-store.ts";
import { memoryBudgets } from "../../runs/process-memory.ts";
import { defaultMemoryLimit, watchProcessLoad } from "../../services/http/limits/process-load.ts";
import { keyFileIn } from "../../settings/api-keys.ts";
import { version } from "../version.ts";
import type { Core } from "./create-core.ts";

/** What the shells of both services have in common. */
export type ShellOptions = ReturnType<typeof createShellOptions>["options"];

/** The keys of the environment, and those made with `rehearsal keys create`: in the database where services share one, and in the data folder. */
export async function openKeySource({ settings, storage, tellFailure }: Core): Promise<KeySource & Disposable> {
  const { server, dataDir } = settings;
  const own = createKeySource({ file: keyFileIn(dataDir), fixed: server.apiKeys, hadKeys: server.storedKeys });
  if (!storage.keys) return { ...own, [Symbol.dispose]() {} };
  const onError = (error: unknown): void =>
    tellFailure(error, "the API keys could not be read: those that are known stay in use");
  return createSharedKeySource({ records: storage.keys, own, onError });
}

export function createShellOptions({ settings, storage, log, tellFailure }: Core, { apiKeys }: { apiKeys: ApiKeys }) {
  const { server, overload, rateLimits, limits } = settings;
  const load = watchProcessLoad();
  let stopping = false;
  return {
    options: {
      log,
      version,
      apiKeys,
      allowedHosts: server.allowedHosts,
      rateLimits,
      sharedRates: storage.keyRates && {
        rates: storage.keyRates,
        onError: (error: unknown) => tellFailure(error, "rate limits are not shared while the store is away"),
      },
      overload: {
        ...overload,
        rssBytes: overload.rssBytes || defaultMemoryLimit(),
        load: load.read,
        memory: createByteBudget(memoryBudgets().requests),
      },
      readiness: async () => {
        if (stopping) throw new ServiceError("shutting_down", "The service is stopping.");
        // As long as they cannot be read nobody is let in.
        if (isKeySource(apiKeys)) await apiKeys.keys();
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
