import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

export type Reader = Kysely<Tables>;
export type Writer = Transaction<Tables>;

/** Readers see committed rows only. */
export interface Readers {
  readonly reader: Reader;
  /** For reads of many rows, where `reader` blocks the calling thread. Default: `reader`. */
  readonly longReader?: Reader | undefined;
}

export interface WriteOptions {
  readonly last?: boolean;
}

/** The database that queries run on, made by a driver. Nothing else in storage knows which database it is. */
export interface Database extends Readers {
  /**
   * Runs `work` in a transaction and resolves once it is durable. `work` may run again when its transaction fails, so
   * it must only touch the database and never wait for another write. Where writes share a transaction, a `last` write
   * sees the changes of the others in its group.
   */
  write<Result>(work: (writer: Writer) => Promise<Result>, options?: WriteOptions): Promise<Result>;
  /**
   * Throws `storage_unavailable` when writes would be lost although reads succeed. Missing where that cannot happen.
   */
  checkFile?(): void;
  /** Waits for writes in flight. Later ones are rejected. */
  close(): Promise<void>;
}

/** Tells workers about runs, within the transactions that change them. Workers that share a SQLite file need none. */
export interface Dispatch {
  /** A run is stored, with this number of attempts to execute. */
  enqueue(writer: Writer, run: DispatchedRun): Promise<void>;
  /** A run was cancelled: its workers must stop. */
  stop(writer: Writer, runId: string): Promise<void>;
}

interface DispatchedRun {
  readonly id: string;
  readonly priority: number;
  /** The run's own limit, if any. */
  readonly max_concurrency: number | null;
  readonly attempts: number;
}

export const noDispatch: Dispatch = { enqueue: async () => {}, stop: async () => {} };

/** The database cannot be used. The message is one line for the operator; the database was not changed. */
export class StoreFileError extends Error {
  override readonly name = "StoreFileError";
}
