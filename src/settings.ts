import type { LocalTarget, Target } from "./contract/schemas/acting/target.ts";
import { readFileSync, statSync } from "node:fs";
import type { UsagePrice } from "./contract/schemas/shared/usage.ts";
import type { PolicyName } from "./contract/schemas/shared/endpoint-policy.ts";
import type { Secret } from "./base/secret.ts";
import { parseHostAddress, parseOrigin } from "./settings/address.ts";
import { hasStoredKeys } from "./settings/api-keys.ts";
import { refuseMovedVariables, warnOfReadableFiles, warnOfUnknownVariables } from "./settings/check-variables.ts";
import type { RedactionRule } from "./contract/schemas/acting/traces.ts";
import {
  keyWithoutAddress,
  namedSecrets,
  readCredentials,
  readEndpoint,
  readHelperModel,
  type Credential,
  type Endpoint,
  type HelperModel,
  readTargetSecrets,
  type TargetSecret,
} from "./settings/credentials.ts";
import { createEnvironment, type Environment, type Variables } from "./settings/environment.ts";
import { readNumbers, warnOfShortLease, type LimitOverrides, type NumberSettings } from "./settings/numbers.ts";
import { exposedBy, readServerSettings, warnOfExposure, type ServerSettings } from "./settings/server-settings.ts";
import { quoted, SettingsError } from "./settings/settings-error.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** All settings of a process, read once at the start. */
export interface Settings extends Omit<NumberSettings, "agent"> {
  /** True: `concurrency` comes from the `-j` of one command and does not count calls of other processes. */
  readonly ownConcurrency?: boolean;
  readonly server: ServerSettings;
  readonly dataDir: string;
  /** null: no backups. */
  readonly backupDir: string | null;
  /** A file that a worker writes again and again while it lives. */
  readonly heartbeatFile: string | null;
  /** Secret because it may hold a password. null = a file in `dataDir`. */
  readonly databaseUrl: Secret | null;
  /** null: warn on a terminal, info elsewhere. */
  readonly logLevel: LogLevel | null;
  readonly webhooks: WebhookSettings | null;
  readonly scorersModule: string | null;
  /** Runs keep what an endpoint says about a failure also where the request named the endpoint. */
  readonly upstreamMessages: boolean;
  /** The environment of users' modules: only the variables that the operator declared. */
  readonly codeEnvironment: Readonly<Record<string, string>>;
  /** The Python that runs checks of users: a command or a path. */
  readonly python: string;
  readonly pricesFile: string | null;
  /** Prices of the configuration file by model, which outrank those of `pricesFile`. */
  readonly prices?: Readonly<Record<string, UsagePrice>>;
  readonly hub: Endpoint | null;
  /** JSON text with more hubs by name, or the path of a file with it. */
  readonly hubProviders: string | null;
  readonly studio: {
    readonly baseUrl: string | null;
    readonly apiKey: Secret | null;
    readonly modelsFile: string | null;
  } | null;
  readonly demo: boolean;
  readonly credentials: readonly Credential[];
  /** Secrets that the headers of targets may name. */
  readonly targetSecrets: readonly TargetSecret[];
  /** Targets that requests may name. Set by the configuration file. */
  readonly targets?: Readonly<Record<string, Target | LocalTarget>>;
  /** Text that is replaced in imported conversations. Set by the configuration file. */
  readonly redact?: readonly RedactionRule[];
  readonly endpointPolicy: { readonly mode: PolicyName; readonly allow: readonly string[] };
  readonly agent: NumberSettings["agent"] & {
    readonly mcpConfig: string | null;
    /** Origins from which turns may take the address of a test world. */
    readonly worldOrigins: readonly string[];
    readonly httpTools: string | null;
    /** Module that answers turns instead of the built-in loop. */
    readonly runner: string | null;
    readonly knowledgeDir: string | null;
    /** Each `alias=target`. */
    readonly modelAliases: readonly string[];
    /** null = every built-in tool. */
    readonly tools: readonly string[] | null;
  };
  readonly judge: HelperModel | null;
  readonly simulator: HelperModel | null;
  readonly labeller: HelperModel | null;
  readonly embeddings: HelperModel | null;
}

/**
 * Reads the environment and the `limits` section of the configuration file. Throws a `SettingsError` for a value that
 * prevents the start; anything else that looks wrong is returned as a warning.
 */
export function readSettings(
  variables: Variables,
  {
    limits = {},
    listens = true,
    readFile = (path: string) => readFileSync(path, "utf8"),
  }: {
    limits?: LimitOverrides;
    /** False for a process that serves no requests, such as a worker: it needs no API keys. */
    listens?: boolean;
    readFile?: (path: string) => string;
  } = {},
): { settings: Settings; warnings: readonly string[] } {
  refuseMovedVariables(variables);
  const environment = createEnvironment(variables, readFile);
  const settings = collectWarnings(environment, { limits, listens, readFile });
  const named = namedSecrets(environment);
  const readable = warnOfReadableFiles(variables, { alsoSecret: named, modeOf });
  const unknown = warnOfUnknownVariables(variables, named);
  const exposed = listens ? warnOfExposure(settings.server) : [];
  const shortLease = limits.lease_ms === undefined ? [] : warnOfShortLease(settings.runs);
  return { settings, warnings: [...exposed, ...readable, ...unknown, ...shortLease] };
}

function modeOf(path: string): number | null {
  if (process.platform === "win32") return null;
  return statSync(path, { throwIfNoEntry: false })?.mode ?? null;
}

function collectWarnings(
  environment: Environment,
  { limits, listens, readFile }: { limits: LimitOverrides; listens: boolean; readFile: (path: string) => string },
): Settings {
  const dataDir = environment.text("REHEARSAL_DATA_DIR") ?? "./.rehearsal";
  const databaseUrl = readDatabaseUrl(environment);
  const postgres = databaseUrl?.reveal().startsWith("postgres") ?? false;
  const storedKeys = hasStoredKeys(dataDir, readFile);
  const server = readServerSettings(environment, { storedKeys, sharedKeys: postgres, listens });
  const numbers = readNumbers(environment, { limits, postgres });
  const hub = readEndpoint(environment, "HUB");
  const studio = readStudio(environment);
  const tools = environment.list("AGENT_TOOLS");
  const credentials = readCredentials(environment);

  return {
    ...numbers,
    server,
    dataDir,
    backupDir: environment.text("REHEARSAL_BACKUP_DIR"),
    heartbeatFile: environment.text("REHEARSAL_HEARTBEAT_FILE"),
    databaseUrl,
    logLevel: environment.oneOf("LOG_LEVEL", ["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    webhooks: readWebhooks(environment),
    scorersModule: environment.text("REHEARSAL_SCORERS_MODULE"),
    upstreamMessages: environment.oneOf("EVAL_UPSTREAM_MESSAGES", ["on", "off"]) === "on",
    codeEnvironment: readCodeEnvironment(environment),
    python: environment.text("REHEARSAL_PYTHON") ?? (process.platform === "win32" ? "python" : "python3"),
    pricesFile: environment.text("REHEARSAL_PRICES_FILE"),
    hub,
    hubProviders: environment.text("HUB_PROVIDERS"),
    studio,
    demo: readDemo(environment, hub !== null || studio !== null || environment.text("HUB_PROVIDERS") !== null),
    credentials,
    targetSecrets: readTargetSecrets(credentials),
    endpointPolicy: readEndpointPolicy(environment, server),
    agent: {
      ...numbers.agent,
      mcpConfig: environment.text("AGENT_MCP_CONFIG"),
      worldOrigins: environment.list("AGENT_WORLD_ORIGINS").map((text) => parseOrigin("AGENT_WORLD_ORIGINS", text)),
      httpTools: environment.text("AGENT_HTTP_TOOLS"),
      runner: environment.text("AGENT_RUNNER"),
      knowledgeDir: environment.text("AGENT_KNOWLEDGE_DIR"),
      modelAliases: environment.list("AGENT_MODEL_ALIASES"),
      tools: tools.length > 0 ? tools : null,
    },
    judge: readHelperModel(environment, "JUDGE"),
    simulator: readHelperModel(environment, "SIMULATOR"),
    labeller: readHelperModel(environment, "LABELLER"),
    embeddings: readHelperModel(environment, "EMBEDDINGS"),
  };
}

function readCodeEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const names = environment.list("REHEARSAL_CODE_ENV");
  const odd = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (odd !== undefined) {
    throw new SettingsError(
      "REHEARSAL_CODE_ENV",
      `holds ${quoted(odd)}: use names of environment variables, without values`,
    );
  }
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment.text(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

function readStudio(environment: Environment): Settings["studio"] {
  const endpoint = readEndpoint(environment, "STUDIO");
  const modelsFile = environment.text("STUDIO_MODELS_FILE");
  if (endpoint === null && modelsFile === null) return null;
  return { baseUrl: endpoint?.baseUrl ?? null, apiKey: endpoint?.apiKey ?? null, modelsFile };
}

/** The demo is on until a real provider is configured, unless REHEARSAL_DEMO says otherwise. */
function readDemo(environment: Environment, hasProvider: boolean): boolean {
  const choice = environment.oneOf("REHEARSAL_DEMO", ["on", "off"]);
  return choice === null ? !hasProvider : choice === "on";
}

/** When others can reach the services, callers choose the endpoints, so the operator must list those that are allowed. */
function readEndpointPolicy(environment: Environment, server: ServerSettings): Settings["endpointPolicy"] {
  const mode = environment.oneOf("EVAL_ENDPOINT_POLICY", ["local", "allowlist", "public"]);
  return {
    mode: mode ?? (exposedBy(server) === null ? "local" : "allowlist"),
    allow: environment.list("EVAL_ENDPOINT_ALLOW").map((entry) => parseOrigin("EVAL_ENDPOINT_ALLOW", entry)),
  };
}

/** Checks and shows only the scheme: the rest may hold a password. */
function readDatabaseUrl(environment: Environment): Secret | null {
  const url = environment.secret("DATABASE_URL");
  if (url !== null && !/^(postgres|postgresql|sqlite):/.test(url.reveal())) {
    throw new SettingsError(
      "DATABASE_URL",
      "has an unknown scheme: use postgres://user:password@host/database or sqlite:<file>",
    );
  }
  if (/^sqlite:(?:\/\/)?$/.test(url?.reveal() ?? ""))
    throw new SettingsError("DATABASE_URL", "names no file: use sqlite:<file>");
  return url;
}

/** Addresses notified when a run ends, and the secret that signs the messages. */
interface WebhookSettings {
  readonly urls: readonly string[];
  readonly secret: Secret;
}

/** Webhooks are always signed, so addresses without a secret are an error. */
function readWebhooks(environment: Environment): WebhookSettings | null {
  const urls = environment
    .list("REHEARSAL_WEBHOOK_URLS")
    .map((text) => parseHostAddress("REHEARSAL_WEBHOOK_URLS", text).href);
  const secret = environment.secret("REHEARSAL_WEBHOOK_SECRET");
  if (urls.length === 0 && secret !== null)
    throw keyWithoutAddress("REHEARSAL_WEBHOOK_SECRET", "REHEARSAL_WEBHOOK_URLS");
  if (urls.length === 0) return null;
  if (secret === null || !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret.reveal())) {
    throw new SettingsError("REHEARSAL_WEBHOOK_SECRET", "must be whsec_ followed by at least 24 bytes in base64");
  }
  return { urls, secret };
}
