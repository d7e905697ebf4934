import type { MiddlewareHandler } from "hono";
import type { ShellEnvironment } from "./shell-environment.ts";

/** The policy of every HTML page we serve; `connect` adds origins it may call beside its own. */
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

/** Headers that every answer has, whoever writes it. */
export function fixedHeaders({ version }: { version: string }): Readonly<Record<string, string>> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "rehearsal-version": version,
  };
}

/** Puts the fixed headers on every answer. What a route set itself (caching, its own policy) stays. */
export function securityHeaders({ version }: { version: string }): MiddlewareHandler<ShellEnvironment> {
  const fixed = fixedHeaders({ version });

  return async (context, next) => {
    await next();
    const { headers } = context.res;
    for (const [name, value] of Object.entries(fixed)) headers.set(name, value);
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    if (headers.get("content-type")?.startsWith("text/html") && !headers.has("content-security-policy")) {
      headers.set("content-security-policy", contentSecurityPolicy());
    }
  };
}
