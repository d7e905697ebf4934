import { readFileSync, statSync } from "node:fs";
import type { PolicyName } from "./contract/schemas/endpoint-policy.ts";
import type { Secret } from "./base/secret.ts";
import { parseOrigin } from "./settings/address.ts";
import { hasStoredKeys } from "./settings/api-keys.ts";
import { namedSecrets, readCredentials, readEndpoint, type Credential, type Endpoint } from "./settings/credentials.ts";
import { createEnvironment, type Environment, type Variables } from "./settings/environment.ts";
import { readHelperModel, type HelperModel } from "./settings/helper-models.ts";
import { readNumbers, type NumberSettings } from "./settings/read-numbers.ts";
import { warnOfReadableFiles } from "./settings/readable-files.ts";
import { exposedBy, readServerSettings, warnOfExposure, type ServerSettings } from "./settings/server-settings.ts";
import { quoted, SettingsError } from "./settings/settings-error.ts";
import { readWebhooks, type WebhookSettings } from "./settings/webhooks.ts";
import { warnOfUnknownVariables } from "./settings/unknown-variables.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** Everything the operator decided, read once at the start. */
export interface Settings extends Omit<NumberSettings, "agent"> {
  /** True: `concurrency` is the `-j` of one command, a number of its own that calls of other processes do not count against. */
  readonly ownConcurrency?: boolean;
  readonly server: ServerSettings;
  readonly dataDir: string;
  /** null: no backups. */
  readonly backupDir: string | null;
  /** Secret because it may hold a password. null = a file in `dataDir`. */
  readonly databaseUrl: Secret | null;
  /** null: the log decides, warn on a terminal and info elsewhere. */
  readonly logLevel: LogLevel | null;
  readonly webhooks: WebhookSettings | null;
  readonly scorersModule: string | null;
  /** The environment of modules of users: only the variables that the operator declared. */
  readonly codeEnvironment: Readonly<Record<string, string>>;
  readonly pricesFile: string | null;
  readonly hub: Endpoint | null;
  /** JSON text of more hubs by name, or the path of a file with it. */
  readonly hubProviders: string | null;
  readonly studio: {
    readonly baseUrl: string | null;
    readonly apiKey: Secret | null;
    readonly modelsFile: string | null;
  } | null;
  readonly demo: boolean;
  readonly credentials: readonly Credential[];
  readonly endpointPolicy: { readonly mode: PolicyName; readonly allow: readonly string[] };
  readonly agent: NumberSettings["agent"] & {
    readonly mcpConfig: string | null;
    readonly httpTools: string | null;
    /** Module of the agent that runs instead of the built-in loop. */
    readonly runner: string | null;
    readonly knowledgeDir: string | null;
    /** Each `alias=target`. */
    readonly modelAliases: readonly string[];
    /** null = every built-in tool. */
    readonly tools: readonly string[] | null;
  };
  readonly judge: HelperModel | null;
  readonly labeller: HelperModel | null;
  readonly embeddings: HelperModel | null;
}

/**
 * Reads the environment. Throws a `SettingsError` of one line for a value the services cannot start with;
 * what is merely odd comes back as warnings.
 */
export function readSettings(
  variables: Variables,
  {
    readFile = (path: string) => readFileSync(path, "utf8"),
    listens = true,
  }: {
    readFile?: (path: string) => string;
    /** False for a process that nobody can call, such as a worker: it needs no keys, whatever the names of the service are. */
    listens?: boolean;
  } = {},
): { settings: Settings; warnings: readonly string[] } {
  const environment = createEnvironment(variables, readFile);
  const settings = collect(environment, { readFile, listens });
  const named = namedSecrets(environment);
  const readable = warnOfReadableFiles(variables, { alsoSecret: named, modeOf });
  const unknown = warnOfUnknownVariables(variables, named);
  const exposed = listens ? warnOfExposure(settings.server) : [];
  return { settings, warnings: [...exposed, ...readable, ...unknown] };
}

function modeOf(path: string): number | null {
  if (process.platform === "win32") return null;
  return statSync(path, { throwIfNoEntry: false })?.mode ?? null;
}

function collect(
  environment: Environment,
  { readFile, listens }: { readFile: (path: string) => string; listens: boolean },
): Settings {
  const dataDir = environment.text("REHEARSAL_DATA_DIR") ?? "./.rehearsal";
  const databaseUrl = readDatabaseUrl(environment);
  const postgres = databaseUrl?.reveal().startsWith("postgres") ?? false;
  const storedKeys = hasStoredKeys(dataDir, readFile);
  const server = readServerSettings(environment, { storedKeys, sharedKeys: postgres, listens });
  const numbers = readNumbers(environment, { postgres });
  const hub = readEndpoint(environment, "HUB");
  const studio = readStudio(environment);
  const tools = environment.list("AGENT_TOOLS");

  return {
    ...numbers,
    server,
    dataDir,
    backupDir: environment.text("REHEARSAL_BACKUP_DIR"),
    databaseUrl,
    logLevel: environment.oneOf("LOG_LEVEL", ["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    webhooks: readWebhooks(environment),
    scorersModule: environment.text("REHEARSAL_SCORERS_MODULE"),
    codeEnvironment: readCodeEnvironment(environment),
    pricesFile: environment.text("REHEARSAL_PRICES_FILE"),
    hub,
    hubProviders: environment.text("HUB_PROVIDERS"),
    studio,
    demo: readDemo(environment, hub !== null || studio !== null || environment.text("HUB_PROVIDERS") !== null),
    credentials: readCredentials(environment),
    endpointPolicy: readEndpointPolicy(environment, server),
    agent: {
      ...numbers.agent,
      mcpConfig: environment.text("AGENT_MCP_CONFIG"),
      httpTools: environment.text("AGENT_HTTP_TOOLS"),
      runner: environment.text("AGENT_RUNNER"),
      knowledgeDir: environment.text("AGENT_KNOWLEDGE_DIR"),
      modelAliases: environment.list("AGENT_MODEL_ALIASES"),
      tools: tools.length > 0 ? tools : null,
    },
    judge: readHelperModel(environment, "JUDGE"),
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

/** The demo steps aside for real providers unless it is asked for. */
function readDemo(environment: Environment, hasProvider: boolean): boolean {
  const choice = environment.oneOf("REHEARSAL_DEMO", ["on", "off"]);
  return choice === null ? !hasProvider : choice === "on";
}

/** Where others can reach the services, callers who are not the operator choose endpoints: then the operator lists them. */
function readEndpointPolicy(environment: Environment, server: ServerSettings): Settings["endpointPolicy"] {
  const mode = environment.oneOf("EVAL_ENDPOINT_POLICY", ["local", "allowlist", "public"]);
  return {
    mode: mode ?? (exposedBy(server) === null ? "local" : "allowlist"),
    allow: environment.list("EVAL_ENDPOINT_ALLOW").map((entry) => parseOrigin("EVAL_ENDPOINT_ALLOW", entry)),
  };
}

/** Only the scheme is checked and shown: the rest may hold a password. */
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
