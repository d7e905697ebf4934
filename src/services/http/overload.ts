import { ServiceError } from "../../contract/errors.ts";
import type { ProcessLoad } from "./process-load.ts";

export interface OverloadOptions {
  /** Requests answered at once; more are refused. */
  readonly requests: number;
  /** Requests of one key answered at once; 0: any number. */
  readonly requestsPerKey?: number;
  /** Lateness of the event loop from which new requests are refused. */
  readonly lagMs: number;
  /** Memory of the process from which new requests are refused. */
  readonly rssBytes: number;
  readonly load: () => ProcessLoad;
}

/** Keeps count of the requests being answered. */
export interface Admission {
  /** Whether one more request can be taken on. */
  hasPlace(): boolean;
  /** What a request is told that has no place. */
  refuse(): ServiceError;
  /** Takes a place. */
  enter(): void;
  /** Gives it back. */
  leave(): void;
}

/**
 * Refuses new requests while the service has more to do than it can: those it took on are answered in good time, and
 * the others learn at once that they should come back.
 */
export function createAdmission(
  { requests, lagMs, rssBytes, load }: OverloadOptions,
  onRefusal: () => void = () => {},
): Admission {
  // Made once: thousands of refusals a second need no thousands of stack traces.
  const full = new ServiceError("overloaded", `${requests} requests are being answered already.`);
  const late = new ServiceError("overloaded", "The service cannot keep up just now.");
  const short = new ServiceError("overloaded", "The service is short of memory just now.");
  let running = 0;

  function refusal(): ServiceError | null {
    if (running >= requests) return full;
    const now = load();
    if (now.lagMs > lagMs) return late;
    return now.rssBytes > rssBytes ? short : null;
  }

  return {
    hasPlace: () => refusal() === null,
    refuse() {
      onRefusal();
      return refusal() ?? full;
    },
    enter() {
      running += 1;
    },
    leave() {
      running -= 1;
    },
  };
}
