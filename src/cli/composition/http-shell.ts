import { createByteBudget } from "../../base/byte-budget.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { isKeySource, type ApiKeys } from "../../services/http/auth/auth.ts";
import { createKeySource, createSharedKeySource, type KeySource } from "../../services/http/auth/key-store.ts";
import { memoryBudgets } from "../../runs/threads/process-memory.ts";
import { defaultMemoryLimit, watchProcessLoad } from "../../services/http/limits/process-load.ts";
import { keyFileIn } from "../../settings/api-keys.ts";
import { version } from "../terminal/version.ts";
import type { Core } from "./core.ts";

/** The options of the HTTP shell that both services share. */
export type HttpShellOptions = ReturnType<typeof createHttpShell>["options"];

/** API keys from the environment, the data folder and, when services share a database, from that database. */
export async function openKeySource({ settings, storage, logFailure }: Core): Promise<KeySource & Disposable> {
  const { server, dataDir } = settings;
  const own = createKeySource({ file: keyFileIn(dataDir), fixed: server.apiKeys, hadKeys: server.storedKeys });
  if (!storage.keys) return { ...own, [Symbol.dispose]() {} };
  const onError = (error: unknown): void =>
    logFailure(error, "the API keys could not be read: the known ones stay valid");
  return createSharedKeySource({ records: storage.keys, own, onError });
}

/** The limits, keys and readiness that both services share. */
export function createHttpShell({ settings, storage, log, logFailure }: Core, { apiKeys }: { apiKeys: ApiKeys }) {
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
        onError: (error: unknown) => logFailure(error, "rate limits are not shared while the store is unavailable"),
      },
      overload: {
        ...overload,
        rssBytes: overload.rssBytes || defaultMemoryLimit(),
        load: load.read,
        memory: createByteBudget(memoryBudgets().requests),
      },
      readiness: async () => {
        if (stopping) throw new ServiceError("shutting_down", "The service is stopping.");
        // While the keys cannot be read, all callers are refused.
        if (isKeySource(apiKeys)) await apiKeys.keys();
      },
      bodyLimits: { depth: limits.jsonDepth, keys: limits.objectKeys },
    },
    /** Makes both services report that they are not ready. */
    stop() {
      stopping = true;
    },
    [Symbol.dispose]: load.stop,
  };
}
