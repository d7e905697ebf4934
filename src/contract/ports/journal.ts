import type { SuccessfulReply } from "./chat-model.ts";
import type { RecordedToolCall } from "../schemas/acting/tool-call.ts";
import type { HelperUsage } from "../schemas/shared/usage.ts";

/** A change of a world's state, by JSON pointer. */
export type StateChange =
  | { readonly op: "set"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** A model's reply that asks for tools: what the rest of the turn needs of it. */
export type JournaledReply = Pick<
  SuccessfulReply,
  | "text"
  | "refusal"
  | "tool_calls"
  | "finish_reason"
  | "usage"
  | "model"
  | "system_fingerprint"
  | "metadata"
  | "latency_ms"
  | "first_token_ms"
  | "tries"
  | "session_id"
> & {
  /** US dollars; null when the price is unknown. */
  readonly cost?: number | null;
};

/** The simulator's decision about the user's next message, or the reason why there is none. */
export interface SimulatorAnswer {
  readonly decision?: { readonly message: string; readonly done: boolean; readonly why: string };
  readonly failed?: string;
  readonly helper_usage: HelperUsage;
  readonly latency_ms: number;
}

/**
 * A step of a turn: the decision of a simulated user, a reply that asks for tools, or a call with its result and its changes of the
 * state. `discard` cancels the entries of the turn before it, except those of the user.
 */
export type JournalEntry =
  | { readonly type: "user"; readonly answer: SimulatorAnswer }
  | { readonly type: "discard" }
  | { readonly type: "reply"; readonly reply: JournaledReply }
  | { readonly type: "call"; readonly call: RecordedToolCall; readonly changes?: readonly StateChange[] };

/** A step in a world. */
export type WorldEntry = Extract<JournalEntry, { type: "reply" | "call" }>;

/** The steps in a world that count: those after the last `discard`. */
export function worldEntries(entries: readonly JournalEntry[]): readonly WorldEntry[] {
  const start = entries.findLastIndex(({ type }) => type === "discard") + 1;
  return entries.slice(start).filter((entry) => entry.type === "reply" || entry.type === "call");
}

/** Entries of one turn that were written together. */
export interface JournalPart {
  readonly turn_index: number;
  /** Counted from 0 within the turn. */
  readonly number: number;
  readonly entries: readonly JournalEntry[];
}
