import type { InteractionError, StoredReply } from "../contract/schemas/interaction-result.ts";
import { lastingFailures } from "../contract/ports/chat-model.ts";
import { failedReply } from "./to-stored-reply.ts";

/** Of the replies of one attempt: all of them are held until it has ended, also by whoever goes on with it after a stop. */
const mostCharacters = 64 * 1024 * 1024;

const tooLong: InteractionError = {
  code: "upstream_reply_too_large",
  detail: `Not called: the replies of this attempt, with their labels, have more than ${mostCharacters} characters together.`,
  upstream_status: null,
  tries: 0,
  retryable: false,
};

/** The result of a turn that is not called because the replies before it are too long, else null. */
export function notCalledForLength(replies: Iterable<StoredReply>): StoredReply | null {
  let characters = 0;
  for (const reply of replies) characters += reply.agent_reply.length + labelCharacters(reply);
  return characters > mostCharacters ? failedReply(tooLong, 0) : null;
}

/** Each reply is counted before every turn that follows it. */
const counted = new WeakMap<object, number>();

/** Labels may be as long as any text. */
function labelCharacters({ endpoint_metadata }: StoredReply): number {
  if (endpoint_metadata === null) return 0;
  const characters = counted.get(endpoint_metadata) ?? JSON.stringify(endpoint_metadata).length;
  counted.set(endpoint_metadata, characters);
  return characters;
}

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
