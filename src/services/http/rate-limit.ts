import { ServiceError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/operations/operation.ts";
import type { Caller } from "./shell-environment.ts";
import { createSlidingWindow, type SlidingWindow } from "./sliding-window.ts";

/** Requests per minute that one key may send to the routes of a scope; 0 or nothing: as many as it likes. */
export type RateLimits = Partial<Readonly<Record<Scope, number>>>;

/** Limits how often each key uses what costs money. Callers without a key are on this machine and are not limited. */
export function createRateLimit(limits: RateLimits): (scope: Scope, caller: Caller | undefined) => void {
  const windows = new Map<Scope, SlidingWindow>();
  for (const [scope, limit] of Object.entries(limits)) {
    if (limit > 0) windows.set(scope as Scope, createSlidingWindow({ limit }));
  }

  return (scope, caller) => {
    const window = windows.get(scope);
    if (!window || caller?.key === undefined) return;
    const wait = window.take(caller.key);
    if (wait === 0) return;
    const detail = `This key may send ${limits[scope]} such requests per minute.`;
    throw new ServiceError("rate_limited", detail, { retryAfterMs: wait });
  };
}
