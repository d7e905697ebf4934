import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import { secretNamePattern, variableValues, type ConfigVariables } from "../../agent/tools/operator-config.ts";
import { Secret } from "../../base/secret.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { errorLine } from "../../evaluation/format.ts";
import type { HostPort } from "../../models/outbound/endpoint-policy.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { PlanHelpers } from "../../runs/plan/option-problems.ts";
import type { Runs } from "../../runs/runs.ts";
import type { WorldModules } from "../../runs/user-code/world-modules.ts";
import { createStoreOutageMonitor } from "../../runs/execute/store-outage.ts";
import { createLog } from "../../services/http/log.ts";
import type { Settings } from "../../settings.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import type { OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import { createClients, type Clients } from "./create-clients.ts";
import { createEvaluation } from "./create-evaluation.ts";
import { createFailureLog, type FailureLog } from "./failure-log.ts";
import { makeDataFolder } from "./make-data-folder.ts";
import { openStorage } from "./open-storage.ts";
import { readHubProviders } from "./read-hub-providers.ts";

/** What every process that works with runs stands on: the services, a worker, and a command on its own. */
export interface Core extends AsyncDisposable {
  readonly settings: Settings;
  readonly log: Logger;
  readonly tellFailure: FailureLog;
  readonly hubProviders: readonly HubProvider[];
  readonly storage: OpenedStorage;
  readonly clients: Clients;
  readonly runs: Runs;
  readonly helpers: PlanHelpers;
}

interface CoreOptions {
  readonly warnings?: readonly string[];
  /** Whether a run is answered by our own scripted models. */
  readonly isDemo?: (settings: RunSettings) => boolean;
  /** Whether a run can be carried out by this process alone. */
  readonly isTied?: (settings: RunSettings) => boolean;
  /** Addresses that may not be evaluated: the evaluation service's own. */
  readonly isOwnAddress?: (address: HostPort) => boolean;
  /** Addresses that may not serve the agent's models: the agent backend's own. */
  readonly isAgentAddress?: (address: HostPort) => boolean;
  /** Addresses that may be evaluated whatever the policy: this process opened them for that. */
  readonly isOpenedHere?: (address: HostPort) => boolean;
  /** Whether a database that is away is waited for, as by what is started together with it. Default: a command says so at once. */
  readonly waitsForStore?: boolean;
  /** Carries out these runs and those it makes, and no other. Default: whatever waits. */
  readonly ownRuns?: readonly string[] | undefined;
  /** Run the modules of worlds. Default: no such runs are accepted. */
  readonly worldModules?: WorldModules | undefined;
}

const never = (): boolean => false;

/** As long as writes wait for a server that is away. */
const storeWaitMs = 15_000;

export async function createCore(
  settings: Settings,
  {
    warnings = [],
    isDemo = never,
    isTied = never,
    isOwnAddress = never,
    isAgentAddress = never,
    isOpenedHere = never,
    waitsForStore = false,
    ownRuns,
    worldModules,
  }: CoreOptions = {},
): Promise<Core> {
  // What was opened is closed again when a later part cannot start.
  await using opened = new AsyncDisposableStack();
  const hubProviders = readHubProviders(settings.hubProviders);
  const secrets = [...secretsOf([settings, hubProviders]), ...(await operatorSecrets(settings, process.env))];
  const log = createLog({ level: settings.logLevel, secrets });
  for (const warning of warnings) log.warn(warning);

  const tellFailure = createFailureLog(log);
  const trouble = createStoreOutageMonitor();
  if (settings.databaseUrl === null) await makeDataFolder(settings.dataDir);
  const storage = opened.use(
    await openStorage(settings, {
      ...(waitsForStore && {
        startMs: storeWaitMs,
        onWait: (error: unknown) => log.warn({ reason: errorLine(error) }, "waiting for the database"),
      }),
      onError(error) {
        tellFailure(error, "the store failed");
        // What a full disk keeps from being taken back, nobody can claim: nothing else would fail, and nobody would be told.
        if (error instanceof ServiceError && error.code === "storage_full") trouble.failed(error);
      },
    }),
  );
  const clients = opened.use(createClients(settings, { isOwnAddress, isAgentAddress, isOpenedHere, hubProviders }));
  const { runs, helpers } = opened.use(
    await createEvaluation({
      settings,
      storage,
      outbound: clients.evaluation,
      isDemo,
      isTied,
      ownRuns,
      worldModules,
      trouble,
      secrets,
      log,
      tellFailure,
    }),
  );
  const parts = opened.move();
  return {
    settings,
    log,
    tellFailure,
    hubProviders,
    storage,
    clients,
    runs,
    helpers,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

interface OperatorFiles extends Pick<Settings, "scorersModule"> {
  readonly agent: Pick<Settings["agent"], "mcpConfig" | "httpTools" | "runner">;
}

/**
 * Secrets that are not in the settings themselves, for the log's scrubber: those of MCP servers and HTTP tools, of where
 * traces are sent, and of the operator's own modules. What cannot be read is left to whoever needs it, who says what is wrong with it.
 */
export async function operatorSecrets(
  { scorersModule, agent: { mcpConfig, httpTools, runner } }: OperatorFiles,
  variables: ConfigVariables,
): Promise<Secret[]> {
  const paths = [mcpConfig, httpTools].filter((path) => path !== null);
  const sources = [
    ...paths.map((path) => inFile(path, variables)),
    (async () => secretsOf(readTelemetrySettings(variables)))(),
  ];
  const read = await Promise.allSettled(sources);
  const ofModules = scorersModule === null && runner === null ? [] : namedAsSecrets(variables);
  return [...read.flatMap((result) => (result.status === "fulfilled" ? result.value : [])), ...ofModules];
}

/** Shorter ones are more likely to be ordinary words. */
const shortestOfModules = 12;

/** A module reads what variables it likes: those whose names say that they hold a secret. */
export function namedAsSecrets(variables: ConfigVariables): Secret[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    /(?:^|_)(?:key|token|secret|password)$/i.test(name) && value.length >= shortestOfModules ? [new Secret(value)] : [],
  );
}

async function inFile(path: string, variables: ConfigVariables): Promise<Secret[]> {
  const text = await readFile(path, "utf8");
  const { parse } = await import("yaml");
  // Whatever an operator keeps in the environment instead of the file is taken for a secret.
  return [...variableValues(text, variables), ...writtenIn(parse(text))]
    .filter((value) => value !== "")
    .map((value) => new Secret(value));
}

/** Values that the file holds itself, under a name that says what they are. A header's scheme is no secret. */
function* writtenIn(value: unknown): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (typeof part !== "string") yield* writtenIn(part);
    else if (secretNamePattern.test(name) && !part.includes("${")) yield part.replace(/^\w+\s+/, "");
  }
}

/** Every secret anywhere in the settings, for the log's scrubber. A new secret is found without being listed here. */
function secretsOf(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(secretsOf);
}
