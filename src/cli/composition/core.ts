import type { Logger } from "pino";
import { ServiceError } from "../../contract/errors/errors.ts";
import { errorLine } from "../../base/format.ts";
import type { HostPort } from "../../models/outbound/endpoint-policy.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import { createStoreOutageMonitor } from "../../runs/stored/store-outage.ts";
import type { PlanHelpers } from "../../runs/plan/option-problems.ts";
import type { Runs } from "../../runs/runs.ts";
import { createLog } from "../../services/http/log.ts";
import type { Settings } from "../../settings.ts";
import type { OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import { limitHeap } from "../process/process-memory.ts";
import { restartOf } from "../process/supervised.ts";
import { createClients, type Clients } from "./clients.ts";
import { createEvaluation, type RunParts } from "./evaluation.ts";
import { createFailureLog, type FailureLog } from "./failure-log.ts";
import { operatorSecrets, secretsOf } from "./operator-secrets.ts";
import { readHubProviders } from "./hub-settings.ts";
import { createDataFolder, openStorage } from "./storage.ts";

/** The parts that every process with runs has in common: the services, a worker and a command that runs alone. */
export interface Core extends AsyncDisposable {
  readonly settings: Settings;
  readonly log: Logger;
  readonly logFailure: FailureLog;
  readonly hubProviders: readonly HubProvider[];
  readonly storage: OpenedStorage;
  readonly clients: Clients;
  readonly runs: Runs;
  readonly helpers: PlanHelpers;
}

interface CoreOptions extends RunParts {
  readonly warnings?: readonly string[];
  /** The evaluation service's own addresses, which may not be evaluated. */
  readonly isOwnAddress?: (address: HostPort) => boolean;
  /** The agent backend's own addresses, which may not serve its models. */
  readonly isAgentAddress?: (address: HostPort) => boolean;
  /** Addresses that may be evaluated under any policy, because this process opened them for that. */
  readonly isOpenedHere?: (address: HostPort) => boolean;
  /** Waits for an unavailable database, for services that start together with it. Default: fails at once. */
  readonly waitsForStore?: boolean;
}

const never = (): boolean => false;

/** The same time that writes wait for an unavailable database. */
const storeWaitMs = 15_000;

/** Opens the log, the store, the outbound clients and the runs. */
export async function createCore(
  settings: Settings,
  {
    warnings = [],
    isOwnAddress = never,
    isAgentAddress = never,
    isOpenedHere = never,
    waitsForStore = false,
    ...parts
  }: CoreOptions = {},
): Promise<Core> {
  limitHeap();
  // Closes everything opened so far when a later part fails to start.
  await using opened = new AsyncDisposableStack();
  const hubProviders = readHubProviders(settings);
  const secrets = [...secretsOf([settings, hubProviders]), ...(await operatorSecrets(settings, process.env))];
  const log = createLog({ level: settings.logLevel, secrets });
  for (const warning of warnings) log.warn(warning);
  const restart = restartOf();
  if (restart) log.error({ reason: restart.reason }, "this process replaces one that ended");

  const logFailure = createFailureLog(log);
  const storeOutage = createStoreOutageMonitor();
  if (settings.databaseUrl === null) await createDataFolder(settings.dataDir);
  const storage = opened.use(
    await openStorage(settings, {
      ...(waitsForStore && {
        startMs: storeWaitMs,
        onWait: (error: unknown) => log.warn({ reason: errorLine(error) }, "waiting for the database"),
      }),
      onError(error) {
        logFailure(error, "the store failed");
        // With a full disk, expired attempts cannot be claimed, so no other operation would report the outage.
        if (error instanceof ServiceError && error.code === "storage_full") storeOutage.failed(error);
      },
    }),
  );
  const clients = opened.use(createClients(settings, { isOwnAddress, isAgentAddress, isOpenedHere, hubProviders }));
  const { runs, helpers } = opened.use(
    await createEvaluation({
      settings,
      storage,
      outbound: clients.evaluation,
      parts,
      storeOutage,
      secrets,
      log,
      logFailure,
    }),
  );
  const started = opened.move();
  return {
    settings,
    log,
    logFailure,
    hubProviders,
    storage,
    clients,
    runs,
    helpers,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
