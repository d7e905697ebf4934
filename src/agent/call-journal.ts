import type { ToolRun } from "./agent-outcome.ts";

/** What a tool call came to. */
export type CallEnd = Pick<ToolRun, "ok" | "result" | "duration_ms">;

/**
 * Remembers the tool calls of a run beyond the death of its process. A run that is taken up again repeats no call that has
 * ended, and none of which nobody knows whether it did.
 */
export interface CallJournal {
  /**
   * Notes that the call begins, and resolves when that is stored: only then may it be carried out. Gives what it came to when it
   * has ended before, and `unknown` when it has begun before and nothing tells how it ended.
   */
  begin(callId: string): Promise<CallEnd | "unknown" | null>;
  end(callId: string, ended: CallEnd): Promise<void>;
}

/** What the model is told of such a call. */
export const unknownOutcome: Pick<ToolRun, "ok" | "result"> = {
  ok: false,
  result:
    "It is not known whether this call was carried out: the service ended while it was under way, and has not repeated it. " +
    "Say so, and do not ask for it again unless the user wants it.",
};
