import { memoryPerByte, type ByteBudget } from "../../../base/byte-budget.ts";
import { createWaitEstimator } from "../../../base/wait-estimator.ts";
import type { ServiceError } from "../../../contract/errors/errors.ts";
import type { ProcessLoad } from "./process-load.ts";
import { fitsBody, overloaded, bodyRefusal } from "./request-memory.ts";

export interface OverloadOptions {
  /** Concurrent requests; further ones are refused. */
  readonly requests: number;
  /** Concurrent requests per key; 0 for any number. */
  readonly requestsPerKey?: number;
  /** Event-loop lag above which new requests are refused. */
  readonly lagMs: number;
  /** Resident memory above which new requests are refused. */
  readonly rssBytes: number;
  readonly load: () => ProcessLoad;
  /** Memory for bodies and replies in progress, shared by all services of the process. Default: no limit. */
  readonly memory?: ByteBudget | undefined;
}

/** Decides whether a request is admitted, and counts those in progress. */
export interface Admission {
  /** True if a request with a body of this many bytes can be admitted. */
  hasPlace(bodyBytes: number): boolean;
  /** Counts a refusal, and returns its error. */
  refuse(bodyBytes: number): ServiceError;
  /** Counts an admitted request. Returns the function that ends it. */
  enter(): () => void;
  readonly memory: ByteBudget | undefined;
}

const overloadedDetail = "The service is overloaded.";

/** Share of V8's heap limit above which new requests are refused: work in progress needs the rest. */
const fullHeap = 0.85;

/** Refuses new requests while the service is overloaded, so that admitted ones are answered in time and the others know at once to retry. */
export function createAdmission(
  { requests, lagMs, rssBytes, load, memory }: OverloadOptions,
  onRefusal: () => void = () => {},
): Admission {
  const estimator = createWaitEstimator();
  let running = 0;

  /** The memory that a body needs; 0 for a body that its route will refuse as too large. */
  function neededFor(bodyBytes: number): number {
    const needed = bodyBytes * memoryPerByte;
    return memory && needed <= memory.size ? needed : 0;
  }

  /** Null when the request can be admitted, unless there is no memory for its body. */
  function reason(bodyBytes: number): string | null {
    if (running >= requests) return `${requests} requests are in progress, which is the limit.`;
    const now = load();
    if (now.lagMs > lagMs) return overloadedDetail;
    const isShort = now.rssBytes + neededFor(bodyBytes) > rssBytes || now.heapShare > fullHeap;
    return isShort ? "The service is short of memory." : null;
  }

  return {
    memory,
    hasPlace: (bodyBytes) => reason(bodyBytes) === null && (!memory || fitsBody(memory, bodyBytes)),
    refuse(bodyBytes) {
      onRefusal();
      const detail = reason(bodyBytes);
      if (detail === null && memory) return bodyRefusal(memory, bodyBytes);
      return overloaded(detail ?? overloadedDetail, estimator.refuse());
    },
    enter() {
      running += 1;
      const begunAt = estimator.begin();
      return () => {
        running -= 1;
        estimator.end(begunAt);
      };
    },
  };
}
