import type { MiddlewareHandler } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import type { ProcessLoad } from "./process-load.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

export interface OverloadOptions {
  /** Requests answered at once; more are refused. */
  readonly requests: number;
  /** Lateness of the event loop from which new requests are refused. */
  readonly lagMs: number;
  /** Memory of the process from which new requests are refused. */
  readonly rssBytes: number;
  readonly load: () => ProcessLoad;
}

const retryAfterMs = 2000;

/**
 * Refuses new requests while the service has more to do than it can: those it took on are answered in good time, and
 * the others learn at once that they should come back. `isExempt`: health must stay readable just then.
 */
export function shedOverload({
  requests,
  lagMs,
  rssBytes,
  load,
  isExempt,
}: OverloadOptions & { isExempt: (request: { path: string }) => boolean }): MiddlewareHandler<ShellEnvironment> {
  let running = 0;

  function reason(): string | null {
    if (running >= requests) return `${requests} requests are being answered already.`;
    const now = load();
    if (now.lagMs > lagMs) return "The service cannot keep up just now.";
    return now.rssBytes > rssBytes ? "The service is short of memory just now." : null;
  }

  return async (context, next) => {
    if (isExempt(context.req)) return next();
    const refusal = reason();
    if (refusal !== null) throw new ServiceError("overloaded", refusal, { retryAfterMs });
    running += 1;
    try {
      await next();
    } finally {
      running -= 1;
    }
  };
}
