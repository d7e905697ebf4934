import type { ChatModel, FailedReply } from "../../contract/ports/chat-model.ts";
import { createPlaces, type Places } from "../../base/semaphore.ts";

interface RouteLimitOptions {
  /** Calls to one model that run at the same time. */
  readonly concurrency: number;
  /** Calls to one model that wait for their turn; more are refused at once. */
  readonly queue?: number;
}

/** Keeps one busy model from taking every connection: calls beyond its cap wait in line. */
export interface RouteLimits {
  /** The model under the cap of `key`, which all models of that key share. */
  wrap(key: string, model: ChatModel): ChatModel;
  /** What is under way now, for metrics. Models at rest are not named. */
  state(): readonly { readonly key: string; readonly running: number; readonly waiting: number }[];
}

export function createRouteLimits({ concurrency, queue = concurrency * 16 }: RouteLimitOptions): RouteLimits {
  const lanes = new Map<string, Places>();

  return {
    wrap: (key, model) => async (request, options) => {
      const lane = lanes.get(key) ?? createPlaces(concurrency);
      if (lane.taken >= concurrency && lane.waiting >= queue) return overloaded(key);
      lanes.set(key, lane);
      try {
        return await lane.take(options.signal, () => model(request, options));
      } finally {
        if (lane.taken === 0) lanes.delete(key);
      }
    },
    state: () => [...lanes].map(([key, { taken: running, waiting }]) => ({ key, running, waiting })),
  };
}

function overloaded(key: string): FailedReply {
  return {
    ok: false,
    error: {
      code: "overloaded",
      detail: `Too many calls wait for ${key}.`,
      upstream_status: null,
      tries: 0,
      retryable: true,
      retry_after_ms: 1000,
    },
    latency_ms: 0,
  };
}
