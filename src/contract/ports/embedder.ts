import type { ReplyError } from "./chat-model.ts";

/** Why texts could not be embedded. */
type EmbeddingError = Pick<ReplyError, "code" | "detail" | "retryable">;

/** One vector for each text, in the order of the texts and all of one length; or why there are none. */
export type Embeddings =
  | { readonly ok: true; readonly vectors: readonly (readonly number[])[] }
  | { readonly ok: false; readonly error: EmbeddingError };

/** Turns texts into vectors whose cosine says how alike the texts are. */
export interface Embedder {
  /**
   * Names the model and everything else that moves its numbers: the hash of its weights and its runtime, or its endpoint.
   * It is stored with each score: scores of different ids are not comparable.
   */
  readonly id: string;
  /** Contract: resolves with a failure; rejects only when `signal` aborts. */
  embed(texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<Embeddings>;
}
