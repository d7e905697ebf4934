import type { Scope } from "./operations/operation.ts";

/** An API key that was made with `rehearsal keys create`: never the key itself, only its hash. Times are ISO texts. */
export interface StoredKey {
  readonly id: string;
  readonly owner: string;
  readonly scopes: readonly Scope[];
  readonly sha256: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** Where API keys are kept: in a file of one data folder, or in a database that several services share. */
export interface KeyRecords {
  /** Every key that was ever made, also those that ended. */
  list(): Promise<readonly (StoredKey & { readonly last_used_at: string | null })[]>;
  /** A key that is there already stays as it is, except that a revocation is taken over. */
  add(keys: readonly StoredKey[]): Promise<void>;
  /** False when there is no such key. */
  revoke(id: string, at: string): Promise<boolean>;
  /** When keys were last used, by their ids. */
  noteUse(times: ReadonlyMap<string, string>): Promise<void>;
}
