import { dirname, resolve } from "node:path";
import { z } from "zod";
import type { Secret } from "../../base/secret.ts";
import {
  ConfigError,
  parseOperatorConfig,
  parseConfigJson,
  resolveHeaders,
  resolveVariables,
  collectSecrets,
  variableValues,
  type ConfigVariables,
} from "../tools/operator-config.ts";

interface ServerOptions {
  readonly name: string;
  /** Tools that may be used, by the server's own names. null allows all. */
  readonly allow: readonly string[] | null;
  /** Tools whose calls need approval. */
  readonly approval: true | readonly string[];
  /** For one call. Default: the limit of the run. */
  readonly timeoutMs: number | undefined;
  /** Values sent to the server that the model must not read. */
  readonly secrets: readonly Secret[];
}

/** A server that runs as our child process and speaks over standard input and output. */
export interface StdioServer extends ServerOptions {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A server reached over HTTP. */
export interface HttpServer extends ServerOptions {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Set when the file asks for the older SSE transport. */
  readonly isOlder: boolean;
}

export type McpServerConfig = StdioServer | HttpServer;

/** The MCP servers of this agent. They come only from the operator's file, never from a request. */
export interface McpConfig {
  readonly servers: readonly McpServerConfig[];
  /** File with the fingerprints of the tools; null keeps them in memory. */
  readonly pins: string | null;
}

const shared = {
  allow: z.array(z.string()).optional(),
  approval: z.union([z.boolean(), z.array(z.string())]).optional(),
  timeout_ms: z.int().min(1).max(3_600_000).optional(),
  disabled: z.boolean().optional(),
};
const texts = z.record(z.string(), z.string());

const StdioServerEntry = z.strictObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: z.string().optional(),
  ...shared,
});
type StdioServerEntry = z.infer<typeof StdioServerEntry>;
const HttpServerEntry = z.strictObject({
  type: z.enum(["http", "streamable-http", "streamableHttp", "sse"]).optional(),
  url: z.string(),
  headers: texts.default({}),
  ...shared,
});

const File = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()), pins: z.string().optional() });

/**
 * Reads the file that AGENT_MCP_CONFIG names, in the shape other MCP clients use:
 * `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}, "wiki": {"url": "https://…/mcp"}}}`.
 * `${NAME}` in command, args, env, headers and url is replaced from the environment. Paths are relative to the folder of the file.
 */
export function parseMcpConfig(
  text: string,
  { path, variables }: { path: string; variables: ConfigVariables },
): McpConfig {
  const { mcpServers, pins } = parseOperatorConfig(File, parseConfigJson(text, path), path);
  const folder = dirname(path);
  const servers = Object.entries(mcpServers).map(([name, value]) =>
    parseServer(name, value, { path, folder, variables }),
  );
  return {
    servers: servers.filter((server) => server !== null),
    pins: pins === undefined ? null : resolve(folder, pins),
  };
}

function parseServer(
  name: string,
  value: unknown,
  { path, folder, variables }: { path: string; folder: string; variables: ConfigVariables },
): McpServerConfig | null {
  const what = `the MCP server "${name}"`;
  // Two underscores separate server and tool in the names the model sees.
  if (!/^[a-zA-Z0-9_-]{1,32}$/.test(name) || name.includes("__")) {
    throw new ConfigError(`${path}: "${name}" cannot name an MCP server: use 1 to 32 letters, digits, - and single _.`);
  }
  const config = parseOperatorConfig(schemaOf(value, `${path}: ${what}`), value, `${path}: ${what}`);
  if (config.disabled) return null;
  const options = {
    name,
    allow: config.allow ?? null,
    approval: config.approval === true ? (true as const) : config.approval || [],
    timeoutMs: config.timeout_ms,
    secrets: collectSecrets(
      "url" in config ? { url: config.url, ...config.headers } : processTexts(config, variables),
      variables,
    ),
  };
  if ("url" in config) {
    const url = URL.parse(resolveVariables(config.url, variables, what));
    if (!url || !/^https?:$/.test(url.protocol))
      throw new ConfigError(`${path}: ${what} needs a url that begins with https:// or http://.`);
    const headers = resolveHeaders(config.headers, variables, what);
    return { ...options, kind: "http", url: url.href, headers, isOlder: config.type === "sse" };
  }
  const env = Object.entries(config.env).map(([key, entry]) => [
    key,
    resolveVariables(entry, variables, `${key} of ${what}`),
  ]);
  return {
    ...options,
    kind: "stdio",
    command: resolveVariables(config.command, variables, `The command of ${what}`),
    args: config.args.map((text) => resolveVariables(text, variables, `An argument of ${what}`)),
    env: Object.fromEntries(env) as Record<string, string>,
    cwd: config.cwd === undefined ? undefined : resolve(folder, config.cwd),
  };
}

/** The environment, command and arguments of a child process, without paths: redacting those would hide file names in its results. */
function processTexts(
  { env, command, args }: StdioServerEntry,
  variables: ConfigVariables,
): Readonly<Record<string, string>> {
  const isPath = (text: string) =>
    variableValues(text, variables).some((value) => /^(?:[~.]*[\\/]|[a-z]:\\)/i.test(value));
  const words = [command, ...args].filter((text) => !isPath(text));
  return { ...env, ...Object.fromEntries(words.entries()) };
}

/** The schema of the kind of server that is meant, so that errors are about that kind only. */
function schemaOf(value: unknown, what: string): typeof StdioServerEntry | typeof HttpServerEntry {
  if (typeof value !== "object" || value === null) throw new ConfigError(`${what} must be an object.`);
  const has = (key: string) => Object.hasOwn(value, key);
  if (has("command") === has("url")) {
    throw new ConfigError(`${what} needs either "command" (a program to start) or "url" (an address).`);
  }
  return has("url") ? HttpServerEntry : StdioServerEntry;
}
