import type { Hono } from "hono";
import type { ClientOptions } from "../../client/client-options.ts";
import type { ShellEnvironment } from "../../services/http/shell-environment.ts";

/** A `fetch` that hands requests to a service of this process. An aborted signal ends the answer, as it would over a connection. */
export function callInProcess(app: Hono<ShellEnvironment>): NonNullable<ClientOptions["fetch"]> {
  return async (address, request) => {
    const response = await app.fetch(new Request(address, request));
    const signal = request?.signal;
    if (!signal || !response.body) return response;
    return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
  };
}
