import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

export type Reader = Kysely<Tables>;
export type Writer = Transaction<Tables>;

/** Where reads go. Both see what is committed, never a write in progress. */
export interface LongReads {
  readonly reader: Reader;
  /** For reads of many rows, where the driver answers in the thread that asks. Default: the reader. */
  readonly longReader?: Reader | undefined;
}

export interface WriteOptions {
  readonly last?: boolean;
}

/** What the queries run on. Each driver makes one; nothing else here knows which database it is. */
export interface Database extends LongReads {
  /**
   * Runs `work` in a transaction and resolves once it is durable. The work may be run again after a failure of the
   * transaction around it, so it only touches the database, and it never waits for another write. Where writes share a
   * transaction, one that is to come `last` sees what the others of its group have done.
   */
  write<Result>(work: (writer: Writer) => Promise<Result>, options?: WriteOptions): Promise<Result>;
  /** Throws `storage_unavailable` when what is written would be lost, though reading goes on. Default: that cannot be. */
  checkPlace?(): void;
  /** Lets the writes under way end. Later ones are refused. */
  close(): Promise<void>;
}
