import type { IncomingHttpHeaders, ServerResponse } from "node:http";

/** One request as it arrived. `body` is the parsed JSON, or null when there was none. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown> | null;
}

/** The arguments of a behaviour: the request, and the raw response to answer, damage or leave hanging. */
export interface FakeCall {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
}

/** How the fake provider answers one request. */
export type Behaviour = (call: FakeCall) => void | Promise<void>;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Runs another behaviour after a wait, unless the client has gone by then. */
export function after(milliseconds: number, behaviour: Behaviour): Behaviour {
  return async (call) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    call.response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    await promise;
    if (!call.response.destroyed) await behaviour(call);
  };
}
