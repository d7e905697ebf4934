import { isRetryable, type ErrorCode } from "../../contract/errors.ts";
import type { FailedReply, ReplyError } from "../../contract/ports/chat-model.ts";
import type { Explanation } from "../outbound/status-failure.ts";

export function failedReply(error: ReplyError, latency_ms: number): FailedReply {
  return { ok: false, error, latency_ms };
}

/** An error found in an answer that HTTP called a success. */
export function replyError(
  code: ErrorCode,
  detail: string,
  { status, tries }: { status: number; tries: number },
): ReplyError {
  return { code, detail, upstream_status: status, tries, retryable: isRetryable(code) };
}

/** The same with what an adapter made of it. */
export function explainedError(
  { code, detail, lacksCredit, unreadableCall }: Explanation,
  context: { status: number; tries: number },
): ReplyError {
  return {
    ...replyError(code, detail, context),
    ...(lacksCredit && { lacks_credit: true }),
    ...(unreadableCall && { unreadable_call: true }),
  };
}

/** Milliseconds since `started` (from `performance.now()`), to the microsecond: short in JSON. */
export function elapsedMs(started: number): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}
