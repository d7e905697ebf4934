import type { Writer } from "./database.ts";

/**
 * Keeps a queue outside our tables in step with them, inside the transactions that change them. Leases on the attempt
 * rows need none.
 */
export interface Dispatch {
  /** New attempts of a run are ready. */
  enqueue(writer: Writer, work: { readonly runId: string; readonly attemptIds: readonly string[] }): Promise<void>;
  /** Nobody has to work on these attempts any more. */
  withdraw(writer: Writer, attemptIds: readonly string[]): Promise<void>;
  /** A run was cancelled: those who work on it are to be told. */
  stop(writer: Writer, runId: string): Promise<void>;
}

export const noDispatch: Dispatch = { enqueue: async () => {}, withdraw: async () => {}, stop: async () => {} };
