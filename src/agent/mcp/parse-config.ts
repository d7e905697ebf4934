import { dirname, resolve } from "node:path";
import { z } from "zod";
import { ConfigError, parseConfig, parseConfigJson } from "../config-error.ts";
import { resolveHeaders, resolveVariables, secretsIn, valuesNamedIn, type Variables } from "../resolve-variables.ts";
import type { McpConfig, McpServerConfig } from "./mcp-config.ts";

const shared = {
  allow: z.array(z.string()).optional(),
  approval: z.union([z.boolean(), z.array(z.string())]).optional(),
  timeout_ms: z.int().min(1).max(3_600_000).optional(),
  disabled: z.boolean().optional(),
};
const texts = z.record(z.string(), z.string());

const StartedServer = z.strictObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: z.string().optional(),
  ...shared,
});
type StartedServer = z.infer<typeof StartedServer>;
const HttpServer = z.strictObject({
  type: z.enum(["http", "streamable-http", "streamableHttp", "sse"]).optional(),
  url: z.string(),
  headers: texts.default({}),
  ...shared,
});

const File = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()), pins: z.string().optional() });

/**
 * Reads the file that AGENT_MCP_CONFIG names, in the shape other MCP clients use:
 * `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}, "wiki": {"url": "https://…/mcp"}}}`.
 * `${NAME}` in command, args, env, headers and url is replaced from the environment. Paths count from the file's own folder.
 */
export function parseMcpConfig(text: string, { path, variables }: { path: string; variables: Variables }): McpConfig {
  const { mcpServers, pins } = parseConfig(File, parseConfigJson(text, path), path);
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
  { path, folder, variables }: { path: string; folder: string; variables: Variables },
): McpServerConfig | null {
  const what = `the MCP server "${name}"`;
  // Two underscores part server and tool in the names the model sees.
  if (!/^[a-zA-Z0-9_-]{1,32}$/.test(name) || name.includes("__")) {
    throw new ConfigError(`${path}: "${name}" cannot name an MCP server: use 1 to 32 letters, digits, - and single _.`);
  }
  const config = parseConfig(schemaOf(value, `${path}: ${what}`), value, `${path}: ${what}`);
  if (config.disabled) return null;
  const options = {
    name,
    allow: config.allow ?? null,
    approval: config.approval === true ? (true as const) : config.approval || [],
    timeoutMs: config.timeout_ms,
    secrets: secretsIn(
      "url" in config ? { url: config.url, ...config.headers } : started(config, variables),
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

/** What a server is started with and is no path: one that works with files could not speak of them. Arguments are named by their place. */
function started({ env, command, args }: StartedServer, variables: Variables): Readonly<Record<string, string>> {
  const isPath = (text: string) =>
    valuesNamedIn(text, variables).some((value) => /^(?:[~.]*[\\/]|[a-z]:\\)/i.test(value));
  const words = [command, ...args].filter((text) => !isPath(text));
  return { ...env, ...Object.fromEntries(words.entries()) };
}

/** Of the two kinds of servers the one that is meant, so that what is wrong is told of that one alone. */
function schemaOf(value: unknown, what: string): typeof StartedServer | typeof HttpServer {
  if (typeof value !== "object" || value === null) throw new ConfigError(`${what} must be an object.`);
  const has = (key: string) => Object.hasOwn(value, key);
  if (has("command") === has("url")) {
    throw new ConfigError(`${what} needs either "command" (a program to start) or "url" (an address).`);
  }
  return has("url") ? HttpServer : StartedServer;
}
