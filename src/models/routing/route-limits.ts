import { createSemaphore, type Semaphore } from "../../base/semaphore.ts";
import { createWaitEstimator, type WaitEstimator } from "../../base/wait-estimator.ts";
import type { ChatModel, FailedReply } from "../../contract/ports/chat-model.ts";

interface RouteLimitOptions {
  /** Calls to one model that run at the same time. */
  readonly concurrency: number;
  /** Calls to one model that may wait; further calls are refused at once. */
  readonly queue?: number;
}

/** Limits the concurrent calls per model, so that one busy model cannot take every connection. */
export interface RouteLimits {
  /** The model with the limit of `key`, which all models of that key share. */
  wrap(key: string, model: ChatModel): ChatModel;
  /** Running and waiting calls, for metrics. Idle models are left out. */
  state(): readonly { readonly key: string; readonly running: number; readonly waiting: number }[];
}

export function createRouteLimits({ concurrency, queue = concurrency * 16 }: RouteLimitOptions): RouteLimits {
  const lanes = new Map<string, Lane>();

  return {
    wrap: (key, model) => async (request, options) => {
      const lane = lanes.get(key) ?? { places: createSemaphore(concurrency), times: createWaitEstimator() };
      const { places, times } = lane;
      if (places.taken >= concurrency && places.waiting >= queue)
        return overloadedRoute(key, times.waitMs(places.waiting + 1));
      lanes.set(key, lane);
      try {
        return await places.take(options.signal, async () => {
          const begunAt = times.begin();
          try {
            return await model(request, options);
          } finally {
            times.end(begunAt);
          }
        });
      } finally {
        if (places.taken === 0) lanes.delete(key);
      }
    },
    state: () => [...lanes].map(([key, { places }]) => ({ key, running: places.taken, waiting: places.waiting })),
  };
}

/** The calls to one model. */
interface Lane {
  readonly places: Semaphore;
  /** How long a call takes. */
  readonly times: WaitEstimator;
}

function overloadedRoute(key: string, waitMs: number): FailedReply {
  return {
    ok: false,
    error: {
      code: "overloaded",
      detail: `Too many calls wait for ${key}.`,
      upstream_status: null,
      tries: 0,
      retryable: true,
      retry_after_ms: Math.ceil(waitMs),
    },
    latency_ms: 0,
  };
}
