import type { SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import type { CallEcho } from "../../../contract/ports/chat-model.ts";

/** By the id of a call. */
export type PendingEchoes = ReadonlyMap<string, CallEcho>;

/**
 * What the provider wants to see again beside the calls that are handed out. That of its message goes with the first of them,
 * whoever's call came first.
 */
export function pendingEchoes({ reply, pending_tool_calls }: SuccessfulOutcome): PendingEchoes {
  const first = reply.tool_calls[0]?.echo;
  return new Map(
    pending_tool_calls.flatMap(({ id, echo }, index) => {
      const own = index === 0 && first?.message ? { ...first, ...echo, message: first.message } : echo;
      return own ? [[id, own]] : [];
    }),
  );
}
