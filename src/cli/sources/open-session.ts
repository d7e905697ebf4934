import { compact } from "../../base/compact.ts";
import { shellWord } from "../../base/shell-word.ts";
import { closestName } from "../../base/text.ts";
import { ServiceFailure, type ClientOptions } from "../../client/caller.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { LocalTarget } from "../../contract/schemas/acting/target.ts";
import type { TargetSecret } from "../../settings/credentials.ts";
import { readClientSettings } from "../../settings/client-settings.ts";
import { requireServiceAddress } from "../options/addresses.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { AgentOptions, SourceOptions } from "../options/shared-options.ts";
import { loadEnvironment, loadSettings, unreachable } from "../config/load-settings.ts";
import type { RunClient, SessionParts, StartedSession } from "../composition/session.ts";
import { note } from "../terminal/output.ts";
import {
  concurrencyWarning,
  dataFolderOverrides,
  serverClient,
  serverFromEnvironment,
  unrestricted,
  withTypedConcurrency,
} from "./open-source.ts";

/** An evaluation service: one at `--server`, or one in this process for the duration of the command. */
export interface Session extends AsyncDisposable {
  readonly client: RunClient;
  /** Address of the service's own agent backend; null without one. */
  readonly agent: string | null;
  /** Rejects if the agent backend does not serve this model, without calling one. Does nothing without an agent backend. */
  checkModel(modelId: string): Promise<void>;
  /** What OTEL_EXPORTER_OTLP_ENDPOINT of the agent under test has to be; null when no spans are received. */
  readonly otelEndpoint: string | null;
  /** True when runs continue after this process ends. */
  readonly outlivesUs: boolean;
}

interface SessionOptions extends SourceOptions {
  /** Concurrent calls, when this process makes them. */
  readonly concurrency?: number | undefined;
  /** True when our own agent backend is evaluated. */
  readonly agent: boolean;
  /** The agents under test on this machine. */
  readonly targets?: readonly LocalTarget[] | undefined;
  /** Secrets that configured targets name. */
  readonly targetSecrets?: readonly TargetSecret[] | undefined;
  /** The port at which spans of the agent are received. */
  readonly otelPort?: number | undefined;
  /** A run to resume. */
  readonly resume?: string | undefined;
  /** The port a resumed run expects its agent backend at. */
  readonly agentPort?: number | undefined;
  /** True for read-only commands, which need no store and create none. */
  readonly readOnly?: boolean | undefined;
}

/** Opens the service at `--server`, else one in this process. */
export async function openSession({ agent, resume, targets, otelPort, ...options }: SessionOptions): Promise<Session> {
  loadEnvironment(options.envFile);
  const server = options.server ?? serverFromEnvironment(options.dataDir);
  if (server !== undefined) {
    return {
      client: serverClient(server),
      agent: null,
      otelEndpoint: `${server.replace(/\/$/, "")}/otel`,
      async checkModel() {},
      outlivesUs: true,
      async [Symbol.asyncDispose]() {},
    };
  }
  const runs = resume === undefined ? [] : [resume];
  const started = await openOwnServices(options, { runs, agent, targets, otelPort });
  return { ...started, otelEndpoint: started.spans?.endpoint ?? null, outlivesUs: false };
}

/** Opens the agent backend at `--agent`, else one in this process. */
export async function openAgent(
  { agent, envFile }: AgentOptions,
  { readOnly = false }: { readOnly?: boolean } = {},
): Promise<ClientOptions & AsyncDisposable> {
  loadEnvironment(envFile);
  const settings = readClientSettings(process.env);
  const address = agent ?? settings.agent;
  if (address !== null) {
    requireServiceAddress("--agent", address, "an address like http://127.0.0.1:8000");
    return { url: address, apiKey: settings.apiKey?.reveal(), async [Symbol.asyncDispose]() {} };
  }
  const services = await openOwnServices(compact({ envFile, readOnly }), { runs: null, agent: true });
  return { url: services.agent ?? "", [Symbol.asyncDispose]: () => services[Symbol.asyncDispose]() };
}

/** Replaces a service's error about an unknown model by one about `--model`, with the nearest name. */
export function explainUnknownModel(error: unknown, modelId: string, elsewhere = ""): unknown {
  const refusal = modelRefusal(error);
  if (!refusal || !unknown.has(refusal.code)) return error;
  const near = closestName(modelId, refusal.suggestions ?? []);
  const meant = near === undefined ? "" : `: did you mean ${near}?`;
  const others = near === undefined ? `; set HUB_BASE_URL or HUB_PROVIDERS to add others${elsewhere}` : "";
  const direct = elsewhere === "" ? undefined : providerOptions(modelId);
  if (near === undefined && direct !== undefined) {
    return new CliError(`there is no model "${modelId}" here; test it at its provider with ${direct}`, undefined, {
      cause: error,
    });
  }
  return new CliError(`there is no model "${modelId}"${meant} (rehearsal models lists them${others})`, undefined, {
    cause: error,
  });
}

/** Starts services in this process for the duration of the command. */
async function openOwnServices(
  options: Omit<SessionOptions, "agent" | "resume" | "target" | "otelPort">,
  parts: SessionParts,
): Promise<StartedSession> {
  const { dataDir, config, envFile, concurrency, agentPort = 0, readOnly = false, targetSecrets = [] } = options;
  const { settings, warnings } = await loadSettings({
    config,
    envFile,
    limits: unrestricted.limits,
    overrides: {
      ...unrestricted.overrides,
      ...dataFolderOverrides(dataDir),
      ...(readOnly && { DATABASE_URL: "sqlite::memory:", DATABASE_URL_FILE: "" }),
      ...unreachable,
      REHEARSAL_AGENT_PORT: String(agentPort),
      REHEARSAL_API_KEYS: "",
      REHEARSAL_API_KEYS_FILE: "",
    },
  });
  const limited = concurrencyWarning(settings, concurrency);
  for (const warning of [...warnings, ...(limited === null ? [] : [limited])]) note(`rehearsal: ${warning}`);
  const { startSession } = await import("../composition/session.ts");
  return startSession(
    {
      ...withTypedConcurrency(settings, concurrency),
      targetSecrets: [...settings.targetSecrets, ...targetSecrets],
      // Model failures are results and reported as such; logging them too would repeat them.
      logLevel: settings.logLevel ?? "fatal",
      http: { ...settings.http, shutdownGraceMs: 500 },
    },
    parts,
  );
}

/** Where models of well-known providers are asked, by the first part of their id. */
const providerEndpoints: Readonly<Record<string, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1 --protocol anthropic-messages",
  openrouter: "https://openrouter.ai/api/v1",
  ollama: "http://127.0.0.1:11434/v1",
};

/** The options that test a model at its own provider; undefined for providers that are not well known. */
function providerOptions(modelId: string): string | undefined {
  const [provider = "", ...rest] = modelId.split("/");
  const endpoint = Object.hasOwn(providerEndpoints, provider) ? providerEndpoints[provider] : undefined;
  return endpoint === undefined ? undefined : `--endpoint ${endpoint} --model ${shellWord(rest.join("/"))}`;
}

const unknown: ReadonlySet<string> = new Set(["model_id_invalid", "model_not_found"]);

/** An agent backend in another process answers with a problem; ours throws a ServiceError. */
function modelRefusal(error: unknown): { code: string; suggestions?: readonly string[] | undefined } | null {
  if (error instanceof ServiceError) return error;
  return error instanceof ServiceFailure ? error.problem : null;
}
