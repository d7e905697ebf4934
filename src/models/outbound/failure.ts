import { isRetryable, type ErrorCode } from "../../contract/errors.ts";
import type { ReplyError } from "../../contract/ports/chat-model.ts";

/**
 * Whether the same request may be sent again. `safe`: the upstream cannot have worked on it;
 * `if-idempotent`: it may have; `no`: another try cannot help, or bytes have already arrived.
 */
export type Again = "safe" | "if-idempotent" | "no";

/** One try that failed. `detail` is our own sentence: nothing the upstream wrote gets into it. */
export interface Failure {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly again: Again;
  readonly status?: number;
  /** The wait the upstream asked for. */
  readonly retryAfterMs?: number | undefined;
  /** The endpoint says that it takes no tools for this model. */
  readonly refusesTools?: true;
  /** The endpoint takes tools for this model, but not so many. */
  readonly tooManyTools?: true;
  /** The endpoint says that it gives no structured output for this model. */
  readonly refusesFormat?: true;
  /** A filter of the endpoint refused what was said. */
  readonly refusesContent?: true;
  /** The account at the endpoint is empty. */
  readonly lacksCredit?: true;
  /** The model asked for a tool in a way that the endpoint could not read. */
  readonly unreadableCall?: true;
}

export function toReplyError(failure: Failure, tries: number): ReplyError {
  return {
    code: failure.code,
    detail: failure.detail,
    upstream_status: failure.status ?? null,
    tries,
    retryable: isRetryable(failure.code),
    ...(failure.retryAfterMs !== undefined && { retry_after_ms: failure.retryAfterMs }),
    ...(failure.refusesTools && { refuses_tools: true }),
    ...(failure.tooManyTools && { too_many_tools: true }),
    ...(failure.refusesFormat && { refuses_format: true }),
    ...(failure.refusesContent && { refuses_content: true }),
    ...(failure.lacksCredit && { lacks_credit: true }),
    ...(failure.unreadableCall && { unreadable_call: true }),
  };
}

/** Thrown by a stream that breaks after it began. */
export class StreamFailure extends Error {
  override readonly name = "StreamFailure";
  readonly error: ReplyError;

  constructor(error: ReplyError) {
    super(error.detail);
    this.error = error;
  }
}
