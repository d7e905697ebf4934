import type { SourceOptions } from "../options.ts";
import { loadEnvironment, loadSettings, reachedByNobody } from "../parts/load-settings.ts";
import type { RunClient } from "../parts/run-client.ts";
import type { SessionParts, StartedSession } from "../parts/start-session.ts";
import { note } from "../terminal/output.ts";
import { serverFromEnvironment, typedFolder } from "./open-source.ts";
import { serverClient } from "./server-source.ts";
import { limitOfTyped, wideLimits, withTypedConcurrency } from "./wide-limits.ts";

/** An evaluation service to work with: another process's, or one that lives as long as the command. */
export interface Session extends AsyncDisposable {
  readonly client: RunClient;
  /** Address of the agent backend that belongs to it, where there is one. */
  readonly agent: string | null;
  /** Rejects where that agent backend serves no such model; calls none. Says nothing where there is no agent backend. */
  checkModel(modelId: string): Promise<void>;
  /** True when runs go on after this process. */
  readonly outlivesUs: boolean;
}

interface SessionOptions extends SourceOptions {
  /** Calls at once, when they are made by this process. */
  readonly concurrency?: number | undefined;
  /** Whether our own agent backend is what will be evaluated. */
  readonly agent: boolean;
  /** A run this process shall go on with. */
  readonly resume?: string | undefined;
  /** Where the agent backend has to listen, so that a stored run finds it again. */
  readonly agentPort?: number | undefined;
  /** A command that only looks leaves no store behind, and needs none. */
  readonly onlyLooks?: boolean | undefined;
}

/** Opens the service a command was asked to use: the one at `--server`, else one in this process. */
export async function openSession({ agent, resume, ...options }: SessionOptions): Promise<Session> {
  loadEnvironment(options.envFile);
  const server = options.server ?? serverFromEnvironment(options.dataDir);
  if (server !== undefined) {
    return {
      client: serverClient(server),
      agent: null,
      async checkModel() {},
      outlivesUs: true,
      async [Symbol.asyncDispose]() {},
    };
  }
  return {
    ...(await openOwnServices(options, { runs: resume === undefined ? [] : [resume], agent })),
    outlivesUs: false,
  };
}

/** Services that live as long as the command. */
export async function openOwnServices(
  { dataDir, envFile, concurrency, agentPort = 0, onlyLooks = false }: Omit<SessionOptions, "agent" | "resume">,
  parts: SessionParts,
): Promise<StartedSession> {
  const { settings, warnings } = loadSettings({
    files: envFile ?? [],
    overrides: {
      ...wideLimits,
      ...typedFolder(dataDir),
      ...(onlyLooks && { DATABASE_URL: "sqlite::memory:", DATABASE_URL_FILE: "" }),
      ...reachedByNobody,
      REHEARSAL_AGENT_PORT: String(agentPort),
      REHEARSAL_API_KEYS: "",
      REHEARSAL_API_KEYS_FILE: "",
    },
  });
  const limited = limitOfTyped(settings, concurrency);
  for (const warning of [...warnings, ...(limited === null ? [] : [limited])]) note(`rehearsal: ${warning}`);
  const { startSession } = await import("../parts/start-session.ts");
  return startSession(
    {
      ...withTypedConcurrency(settings, concurrency),
      // Failures of models are results and shown as such; a log beside them would only say them twice.
      logLevel: settings.logLevel ?? "fatal",
      http: { ...settings.http, shutdownGraceMs: 500 },
    },
    parts,
  );
}
