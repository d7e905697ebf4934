import type { InteractionError, StoredReply } from "../contract/interaction-result.ts";
import { lastingFailures } from "../contract/model.ts";
import { failedReply } from "./to-stored-reply.ts";

/** The failure after which the rest of an attempt is not called: one that is certain to repeat, or any when asked to stop. */
export function findBlockingFailure(
  replies: Iterable<StoredReply>,
  onFailure: "continue" | "stop",
): InteractionError | null {
  for (const { error } of replies) if (error && (onFailure === "stop" || lastingFailures.has(error.code))) return error;
  return null;
}

/** The result of a turn that was not called because of an earlier failure. */
export function notCalled({ code, retryable }: InteractionError): StoredReply {
  const detail = `Not called: an earlier turn of this attempt failed (${code}).`;
  return failedReply({ code, detail, upstream_status: null, tries: 0, retryable }, 0);
}
