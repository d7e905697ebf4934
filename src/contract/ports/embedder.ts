import type { ReplyError } from "./chat-model.ts";

type EmbeddingError = Pick<ReplyError, "code" | "detail" | "retryable">;

/** One vector per text, in the order of the texts and all of the same length, or an error. */
export type Embeddings =
  | { readonly ok: true; readonly vectors: readonly (readonly number[])[] }
  | { readonly ok: false; readonly error: EmbeddingError };

/** Turns texts into vectors whose cosine measures how similar the texts are. */
export interface Embedder {
  /**
   * Identifies the model and everything else that affects its vectors: the hash of its weights and its runtime, or its endpoint.
   * Stored with each score, because scores of different ids are not comparable.
   */
  readonly id: string;
  /** Contract: resolves with a failure; rejects only when `signal` aborts. */
  embed(texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<Embeddings>;
}
