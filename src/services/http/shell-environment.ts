import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Scope } from "../../settings/api-keys.ts";

/** Who sent a request: the name of the key, and what it may do. */
export interface Caller {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** What the shell gives every route. The bindings are missing when a test calls `app.request()`. */
export interface ShellEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: { requestId: string; caller: Caller };
}

/** Node's own request, or undefined when the app is called without a server. */
export function incomingOf(context: Context): IncomingMessage | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming;
}
