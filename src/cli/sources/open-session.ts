import { join } from "node:path";
import { createEvaluationClient, type EvaluationClient } from "../../client/create-evaluation-client.ts";
import type { SourceOptions } from "../options.ts";
import { loadEnvironment, loadSettings } from "../parts/load-settings.ts";
import { note } from "../terminal/output.ts";
import { serverFromEnvironment } from "./open-source.ts";
import { serverClient } from "./server-source.ts";

/** An evaluation service to work with: another process's, or one that lives as long as the command. */
export interface Session extends AsyncDisposable {
  readonly client: EvaluationClient;
  /** Address of the agent backend that belongs to it, where that is known. */
  readonly agent: string | null;
  /** True when runs go on after this process. */
  readonly outlivesUs: boolean;
}

export interface SessionOptions extends SourceOptions {
  /** Attempts at once this process must be able to carry out. */
  readonly concurrency?: number | undefined;
  /** Where the agent backend has to listen, so that a stored run finds it again. */
  readonly agentPort?: number | undefined;
  /** Never another process's service, whatever the environment says. */
  readonly inProcess?: boolean;
}

/** Opens the service a command was asked to use: the one at `--server`, else both services in this process on free ports. */
export async function openSession(options: SessionOptions): Promise<Session> {
  loadEnvironment(options.envFile);
  const server = options.server ?? serverFromEnvironment(options.dataDir);
  if (server === undefined || options.inProcess) return startSession(options);
  return { client: serverClient(server), agent: null, outlivesUs: true, async [Symbol.asyncDispose]() {} };
}

/** Nobody else can reach these services, and the person who typed the command sets the limits: they are as wide as they go. */
const wide = {
  REHEARSAL_MAX_BODY_BYTES: String(1024 ** 3),
  REHEARSAL_MAX_ATTEMPTS: "100000",
  REHEARSAL_MAX_INTERACTIONS: "10000000",
  REHEARSAL_MAX_CALLS_PER_RUN: "10000000",
} as const;

/**
 * The keys in the data folder are for others who reach a service over the network, not for this process talking to itself: its
 * services get a folder without keys, and the runs of the usual one.
 */
function ownFolder(typed: string | undefined): Record<string, string> {
  const folder = typed ?? (process.env["REHEARSAL_DATA_DIR"] || "./.rehearsal");
  const own = { REHEARSAL_DATA_DIR: join(folder, "session") };
  const database = typed === undefined ? process.env["DATABASE_URL"] || process.env["DATABASE_URL_FILE"] : undefined;
  return database ? own : { ...own, DATABASE_URL: `sqlite:${join(folder, "rehearsal.db")}` };
}

async function startSession({ dataDir, envFile, concurrency, agentPort = 0 }: SessionOptions): Promise<Session> {
  const { settings, warnings } = loadSettings({
    files: envFile ?? [],
    overrides: {
      ...wide,
      ...ownFolder(dataDir),
      REHEARSAL_HOST: "127.0.0.1",
      REHEARSAL_AGENT_PORT: String(agentPort),
      REHEARSAL_EVAL_PORT: "0",
      REHEARSAL_API_KEYS: "",
      REHEARSAL_API_KEYS_FILE: "",
    },
  });
  for (const warning of warnings) note(`rehearsal: ${warning}`);
  const { startServices } = await import("../commands/serve.ts");
  const services = await startServices(
    {
      ...settings,
      // Failures of models are results and shown as such; a log beside them would only say them twice.
      logLevel: settings.logLevel ?? "fatal",
      concurrency: { ...settings.concurrency, global: Math.max(settings.concurrency.global, concurrency ?? 0) },
      http: { ...settings.http, shutdownGraceMs: 500 },
    },
    [],
  );
  return {
    client: createEvaluationClient({ url: services.evaluation.url }),
    agent: services.agent.url,
    outlivesUs: false,
    [Symbol.asyncDispose]: () => services.stop(),
  };
}
