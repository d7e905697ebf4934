import { memoryPerByte, type ByteBudget } from "../../../base/byte-budget.ts";
import { createWaitEstimator } from "../../../base/wait-estimator.ts";
import type { ServiceError } from "../../../contract/errors.ts";
import type { ProcessLoad } from "./process-load.ts";
import { fitsBody, overloaded, bodyRefusal } from "./request-memory.ts";

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
  /** Memory for bodies and replies under way, of all services of the process. Default: not counted. */
  readonly memory?: ByteBudget | undefined;
}

/** Keeps count of the requests being answered. */
export interface Admission {
  /** Whether one more request, with a body of so many bytes, can be taken on. */
  hasPlace(bodyBytes: number): boolean;
  /** What a request is told that has no place. */
  refuse(bodyBytes: number): ServiceError;
  /** Takes a place. Returns what gives it back. */
  enter(): () => void;
  readonly memory: ByteBudget | undefined;
}

/** Share of V8's heap limit from which new requests are refused: what is under way needs the rest. */
const fullHeap = 0.85;

/**
 * Refuses new requests while the service has more to do than it can: those it took on are answered in good time, and
 * the others learn at once that they should come back.
 */
export function createAdmission(
  { requests, lagMs, rssBytes, load, memory }: OverloadOptions,
  onRefusal: () => void = () => {},
): Admission {
  const times = createWaitEstimator();
  let running = 0;

  /** Memory for a body; none for one that is too large for any route. */
  function neededFor(bodyBytes: number): number {
    const needed = bodyBytes * memoryPerByte;
    return memory && needed <= memory.size ? needed : 0;
  }

  /** Null: it can be taken on, unless its body finds no room. */
  function reason(bodyBytes: number): string | null {
    if (running >= requests) return `${requests} requests are being answered already.`;
    const now = load();
    if (now.lagMs > lagMs) return "The service cannot keep up just now.";
    const isShort = now.rssBytes + neededFor(bodyBytes) > rssBytes || now.heapShare > fullHeap;
    return isShort ? "The service is short of memory just now." : null;
  }

  return {
    memory,
    hasPlace: (bodyBytes) => reason(bodyBytes) === null && (!memory || fitsBody(memory, bodyBytes)),
    refuse(bodyBytes) {
      onRefusal();
      const detail = reason(bodyBytes);
      if (detail === null && memory) return bodyRefusal(memory, bodyBytes);
      return overloaded(detail ?? "The service cannot keep up just now.", times.refuse());
    },
    enter() {
      running += 1;
      const begunAt = times.begin();
      return () => {
        running -= 1;
        times.end(begunAt);
      };
    },
  };
}
