import type { KeyRates } from "../../../contract/ports/api-keys.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { Scope } from "../../../contract/operations/operation.ts";
import type { Caller } from "../environment/shell-environment.ts";
import { createSharedWindow, type CountUse } from "./shared-window.ts";
import { createSlidingWindow } from "./sliding-window.ts";

/** Requests per minute and key for the routes of a scope; 0 or missing for no limit. */
export type RateLimits = Partial<Readonly<Record<Scope, number>>>;

/** Counts a request of a caller. Throws or rejects with `rate_limited`; returns a promise only when the database must be queried. */
export type LimitRate = (scope: Scope, caller: Caller | undefined) => void | Promise<void>;

export interface SharedRates {
  readonly rates: KeyRates;
  readonly onError: (error: unknown) => void;
}

/**
 * Limits the requests of each key in scopes that cost money, in this process or across all processes that share a database. Callers
 * without a key are on this machine and are not limited.
 */
export function createRateLimit(limits: RateLimits, shared?: SharedRates): LimitRate {
  const windows = new Map<Scope, CountUse>();
  for (const [scope, limit] of Object.entries(limits)) {
    if (!(limit > 0)) continue;
    const count = shared ? createSharedWindow({ ...shared, name: scope, limit }) : createSlidingWindow({ limit }).take;
    windows.set(scope as Scope, count);
  }

  return (scope, caller) => {
    const count = windows.get(scope);
    if (!count || caller?.key === undefined) return;
    const refuse = (wait: number): void => {
      if (wait === 0) return;
      const detail = `This key may send ${limits[scope]} such requests per minute.`;
      throw new ServiceError("rate_limited", detail, { retryAfterMs: wait });
    };
    const wait = count(caller.key);
    return typeof wait === "number" ? refuse(wait) : wait.then(refuse);
  };
}
