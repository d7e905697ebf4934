import type { Secret } from "../../base/secret.ts";

interface ServerOptions {
  readonly name: string;
  /** Tools that may be used, by the server's own names. null = all. */
  readonly allow: readonly string[] | null;
  /** Tools whose calls somebody must approve. */
  readonly approval: true | readonly string[];
  /** For one call; without it the run's own limit holds. */
  readonly timeoutMs: number | undefined;
  /** What the server was given and the model must not read. */
  readonly secrets: readonly Secret[];
}

/** A server that we start ourselves and talk to over its standard input and output. */
export interface StdioServer extends ServerOptions {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A server that runs elsewhere. */
export interface HttpServer extends ServerOptions {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Its operator says that it speaks the older transport, over SSE. */
  readonly isOlder: boolean;
}

export type McpServerConfig = StdioServer | HttpServer;

/** The MCP servers of this agent. Only the operator's file names them, never a request. */
export interface McpConfig {
  readonly servers: readonly McpServerConfig[];
  /** File that keeps the fingerprints of the tools; null = only for as long as this process lives. */
  readonly pins: string | null;
}
