import type { SuccessfulReply } from "./chat-model.ts";
import type { RecordedToolCall } from "../schemas/tool-call.ts";

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

/** A step of a turn in a world: a reply that asks for tools, or a call with its result and its changes of the state. */
export type JournalEntry =
  | { readonly type: "reply"; readonly reply: JournaledReply }
  | { readonly type: "call"; readonly call: RecordedToolCall; readonly changes?: readonly StateChange[] };

/** Entries of one turn that were written together. */
export interface JournalPart {
  readonly turn_index: number;
  /** Counted from 0 within the turn. */
  readonly number: number;
  readonly entries: readonly JournalEntry[];
}
