import { isRetryable, type ErrorCode } from "../../contract/errors.ts";
import type { FailedReply, ReplyError } from "../../contract/model.ts";

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

/** Milliseconds since `started` (from `performance.now()`), to the microsecond: short in JSON. */
export function elapsedMs(started: number): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}
