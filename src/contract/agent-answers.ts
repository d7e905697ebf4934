import type { AgentReply } from "./agent-reply.ts";

/** A turn's answer, kept so that the same Idempotency-Key gets it again. */
export interface StoredAnswer {
  readonly reply: AgentReply;
  readonly headers: Readonly<Record<string, string>>;
}

/** Who asked for what: keys are scoped by owner, `hash` stands for the body. */
export interface AnswerKey {
  readonly owner: string | null;
  readonly key: string;
  readonly hash: string;
}

export type AnswerClaim =
  | { readonly outcome: "claimed" }
  /** Another process works on it. */
  | { readonly outcome: "running" }
  | { readonly outcome: "answered"; readonly answer: StoredAnswer }
  | { readonly outcome: "mismatch" };

/** Answers by Idempotency-Key, for a day. A claim ends with its turn: see `AgentMemory.endTurn`. */
export interface AgentAnswers {
  /** Atomic: of two that claim the same key at once, one is told `claimed`. */
  claim(key: AnswerKey): Promise<AnswerClaim>;
  /** Gives up a claim: the turn failed or was cancelled, and the key may be used again. */
  release(key: AnswerKey): Promise<void>;
}
