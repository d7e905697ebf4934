import type { ChatModel, FailedReply } from "../../contract/model.ts";

export interface RouteLimitOptions {
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

interface Lane {
  running: number;
  /** Each is called when a place is handed to it. */
  readonly waiting: Set<() => void>;
}

export function createRouteLimits({ concurrency, queue = concurrency * 16 }: RouteLimitOptions): RouteLimits {
  const lanes = new Map<string, Lane>();

  /** A place is handed over, never free in between: whoever comes just then must not overtake the line. */
  function leave(key: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next) {
      lane.waiting.delete(next);
      return next();
    }
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(key);
  }

  return {
    wrap: (key, model) => async (request, options) => {
      const lane = lanes.get(key) ?? { running: 0, waiting: new Set() };
      lanes.set(key, lane);
      if (lane.running < concurrency) lane.running += 1;
      else if (lane.waiting.size >= queue) return overloaded(key);
      else await waitInLine(lane, options.signal);
      try {
        return await model(request, options);
      } finally {
        leave(key, lane);
      }
    },
    state: () => [...lanes].map(([key, { running, waiting }]) => ({ key, running, waiting: waiting.size })),
  };
}

function waitInLine(lane: Lane, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener("abort", abort);
      resolve();
    };
    const abort = () => {
      lane.waiting.delete(enter);
      reject(signal.reason);
    };
    lane.waiting.add(enter);
    signal.addEventListener("abort", abort, { once: true });
  });
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
