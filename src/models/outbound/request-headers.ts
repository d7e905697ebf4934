import { acceptEncoding } from "./body-decoder.ts";
import type { OutboundRequest } from "./outbound.ts";

const userAgent = "rehearsal";

/** The headers of one request, as the flat list undici takes fastest. Bound credentials replace whatever the caller set. */
export function requestHeaders(
  request: Pick<OutboundRequest, "headers" | "body" | "acceptStream">,
  credentials: readonly (readonly [string, string])[],
): string[] {
  const headers: string[] = [];
  const names = new Set<string>();
  const add = (name: string, value: string) => {
    if (names.has(name)) return;
    names.add(name);
    headers.push(name, value);
  };
  for (const [name, value] of credentials) add(name, value);
  for (const [name, value] of Object.entries(request.headers ?? {})) add(name.toLowerCase(), value);
  if (request.body !== undefined) add("content-type", "application/json");
  add("accept", request.acceptStream ? "text/event-stream, application/json" : "application/json");
  // A compressed event stream tends to arrive in lumps.
  add("accept-encoding", request.acceptStream ? "identity" : acceptEncoding);
  add("user-agent", userAgent);
  return headers;
}
