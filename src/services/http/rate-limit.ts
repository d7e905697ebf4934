import type { MiddlewareHandler } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/scope.ts";
import type { FindOperation } from "./operation-table.ts";
import type { Caller, ShellEnvironment } from "./shell-environment.ts";
import { createSlidingWindow, type SlidingWindow } from "./sliding-window.ts";

/** Requests per minute that one key may send to the routes of a scope; 0 or nothing: as many as it likes. */
export type RateLimits = Partial<Readonly<Record<Scope, number>>>;

/** Limits how often each key uses what costs money. Callers without a key are on this machine and are not limited. */
export function rateLimit({
  limits,
  find,
}: {
  limits: RateLimits;
  find: FindOperation;
}): MiddlewareHandler<ShellEnvironment> {
  const windows = new Map<Scope, SlidingWindow>();
  for (const [scope, limit] of Object.entries(limits)) {
    if (limit > 0) windows.set(scope as Scope, createSlidingWindow({ limit }));
  }

  return async (context, next) => {
    const caller = context.get("caller") as Caller | undefined;
    const scope = find(context.req)?.scope;
    const window = scope && windows.get(scope);
    if (window && caller?.key !== undefined) {
      const wait = window.take(caller.key);
      if (wait > 0) {
        const detail = `This key may send ${limits[scope]} such requests per minute.`;
        throw new ServiceError("rate_limited", detail, { retryAfterMs: wait });
      }
    }
    await next();
  };
}
