import { ServiceError } from "../../contract/errors.ts";
import type { ProcessLoad } from "./process-load.ts";

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

/** Keeps count of the requests being answered. */
export interface Admission {
  /** Takes a place for one more request; throws when there is none. */
  enter(): void;
  /** Gives it back. */
  leave(): void;
}

/**
 * Refuses new requests while the service has more to do than it can: those it took on are answered in good time, and
 * the others learn at once that they should come back.
 */
export function createAdmission({ requests, lagMs, rssBytes, load }: OverloadOptions): Admission {
  let running = 0;

  function reason(): string | null {
    if (running >= requests) return `${requests} requests are being answered already.`;
    const now = load();
    if (now.lagMs > lagMs) return "The service cannot keep up just now.";
    return now.rssBytes > rssBytes ? "The service is short of memory just now." : null;
  }

  return {
    enter() {
      const refusal = reason();
      if (refusal !== null) throw new ServiceError("overloaded", refusal, { retryAfterMs });
      running += 1;
    },
    leave() {
      running -= 1;
    },
  };
}
