/** What goes to the reader's thread and comes back: plain data only. */

export interface ReaderOptions {
  readonly file: string;
  readonly lockTimeoutMs: number;
}

export interface ReaderQuestion {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type ReaderAnswer =
  | { readonly id: number; readonly ok: true; readonly columns: readonly string[]; readonly rows: readonly unknown[][] }
  | {
      readonly id: number;
      readonly ok: false;
      /** What `node:sqlite` tells about a failure; an error itself would lose it on the way. */
      readonly error: {
        readonly message: string;
        readonly errcode: number | undefined;
        readonly code: string | undefined;
      };
    };
