import { randomUUID } from "node:crypto";
import type { CallEnd, CallRequest, Limits } from "../contract/ports/limits.ts";
import type { ChatModel, Reply } from "../contract/ports/chat-model.ts";

const longestPauseMs = 60_000;

/** A model whose every call first waits for its place among all calls of all workers to the same endpoint. */
export function limitModel(
  model: ChatModel,
  { limits, ...place }: { limits: Limits } & Omit<CallRequest, "signal">,
): ChatModel {
  return async (request, options) => {
    const slot = await limits.acquire({ ...place, signal: options.signal });
    let end: CallEnd = { outcome: "failed" };
    try {
      // The wait may have been long: a run that was cancelled meanwhile starts no call.
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
 * Models that help, judges and labellers, made so that they keep to the same limits as models under test. Each one takes
 * turns with the runs that call the same endpoint as if it were a run of its own, of the owner and the priority of the run it helps.
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

/** Limits are kept by origin: that is what an endpoint's own limits are about. */
export function originOf(endpoint: string): string {
  return URL.parse(endpoint)?.origin ?? endpoint;
}

function toCallEnd(reply: Reply): CallEnd {
  if (reply.ok) return { outcome: "ok", tokens: reply.usage?.total_tokens };
  const { code, retry_after_ms = 0 } = reply.error;
  if (code === "upstream_rate_limited") return { outcome: "refused", retry_after_ms: pauseFor(retry_after_ms) };
  return { outcome: code === "upstream_timeout" ? "refused" : "failed" };
}

/** An endpoint that wants to be left alone for longer answers each call with a failure; nobody waits that long here. */
function pauseFor(retryAfterMs: number): number {
  return retryAfterMs > longestPauseMs ? 0 : retryAfterMs;
}
