import { randomUUID } from "node:crypto";

/** The content security policy of every HTML page; `connect` adds origins that the page may call. */
export function contentSecurityPolicy({ connect = [] }: { connect?: readonly string[] } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...connect].join(" "),
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Headers of every response, including those written outside the app. */
export function fixedHeaders({ version }: { version: string }): Readonly<Record<string, string>> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "rehearsal-version": version,
  };
}

/** Headers of every response of the app, before a route adds its own. */
export function shellHeaders({ version }: { version: string }): Readonly<Record<string, string>> {
  return { ...fixedHeaders({ version }), "cache-control": "no-store", vary: "Origin" };
}

/** Adds the common headers to a response. Caching and a policy that the route set itself are kept. */
export function addAnswerHeaders(headers: Headers, added: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(added)) {
    if (name === "vary") headers.append(name, value);
    else if (name !== "cache-control" || !headers.has(name)) headers.set(name, value);
  }
  if (headers.get("content-type")?.startsWith("text/html") && !headers.has("content-security-policy")) {
    headers.set("content-security-policy", contentSecurityPolicy());
  }
}

const usable = /^[A-Za-z0-9._-]{1,64}$/;

/** The request id: the client's own if it is well-formed, else a new one. */
export function requestIdFrom(sent: string | undefined): string {
  return sent !== undefined && usable.test(sent) ? sent : randomUUID();
}
