import type { Reply } from "../../contract/ports/chat-model.ts";

/** A reply with the tries that came before it counted in. */
export function withTries(reply: Reply, earlier: number): Reply {
  if (earlier === 0) return reply;
  if (reply.ok) return { ...reply, tries: reply.tries + earlier };
  return { ...reply, error: { ...reply.error, tries: reply.error.tries + earlier } };
}
