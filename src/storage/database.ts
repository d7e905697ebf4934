import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

export type Reader = Kysely<Tables>;
export type Writer = Transaction<Tables>;

/** What the queries run on. Each driver makes one; nothing else here knows which database it is. */
export interface Database {
  /** Sees what is committed, never a write in progress. */
  readonly reader: Reader;
  /**
   * Runs `work` in a transaction and resolves once it is durable. The work may be run again after a failure of the
   * transaction around it, so it only touches the database, and it never waits for another write.
   */
  write<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>;
  /** Lets the writes under way end. Later ones are refused. */
  close(): Promise<void>;
}
