import { randomUUID } from "node:crypto";
import type { CallEnd, CallRequest, Limits } from "../../contract/ports/limits.ts";
import type { ChatModel, Reply } from "../../contract/ports/chat-model.ts";

const longestPauseMs = 60_000;

/** A model whose calls wait for a slot among the calls of all workers to the same endpoint. */
export function limitModel(
  model: ChatModel,
  { limits, ...place }: { limits: Limits } & Omit<CallRequest, "signal">,
): ChatModel {
  return async (request, options) => {
    const slot = await limits.acquire({ ...place, signal: options.signal });
    let end: CallEnd = { outcome: "failed" };
    try {
      // The run may have been cancelled during the wait.
      options.signal.throwIfAborted();
      const onRefused = (retryAfterMs = 0): void => slot.refused(pauseFor(retryAfterMs));
      const reply = await model(request, { ...options, onRefused });
      end = toCallEnd(reply);
      return reply;
    } finally {
      slot.release(end);
    }
  };
}

/**
 * Judges and labellers that obey the same limits as models under test. Each counts as a run of its own, with the owner and the
 * priority of the run it helps.
 */
export function limitModels<Target extends Pick<CallRequest, "endpoint" | "owner" | "priority">>(
  createModel: (target: Target) => ChatModel,
  limits: Limits | undefined,
): (target: Target) => ChatModel {
  if (!limits) return createModel;
  return (target) =>
    limitModel(createModel(target), {
      limits,
      endpoint: originOf(target.endpoint),
      run_id: `helper ${randomUUID()}`,
      owner: target.owner,
      priority: target.priority,
    });
}

/** Limits apply per origin, as those of providers do. */
export function originOf(endpoint: string): string {
  const origin = URL.parse(endpoint)?.origin ?? "null";
  return origin === "null" ? endpoint : origin;
}

function toCallEnd(reply: Reply): CallEnd {
  if (reply.ok) return { outcome: "ok", tokens: reply.usage?.total_tokens };
  const { code, retry_after_ms = 0 } = reply.error;
  if (code === "upstream_rate_limited") return { outcome: "refused", retry_after_ms: pauseFor(retry_after_ms) };
  return { outcome: code === "upstream_timeout" ? "refused" : "failed" };
}

/** Longer pauses are not waited for: the endpoint refuses each call meanwhile. */
function pauseFor(retryAfterMs: number): number {
  return retryAfterMs > longestPauseMs ? 0 : retryAfterMs;
}
