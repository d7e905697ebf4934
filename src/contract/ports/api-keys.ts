import type { Scope } from "../operations/operation.ts";

/** An API key created with `rehearsal keys create`. Only the hash of the key is stored. Times are ISO 8601 text. */
export interface StoredKey {
  readonly id: string;
  readonly owner: string;
  readonly scopes: readonly Scope[];
  readonly sha256: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** Stored API keys, in a file of the data folder or in a database that several services share. */
export interface KeyRecords {
  /** Every key, including expired and revoked ones. */
  list(): Promise<readonly (StoredKey & { readonly last_used_at: string | null })[]>;
  /** Leaves existing keys unchanged, except that a revocation is adopted. */
  add(keys: readonly StoredKey[]): Promise<void>;
  /** False when there is no such key. */
  revoke(id: string, at: string): Promise<boolean>;
  /** Stores the last use of keys, by key id. */
  noteUse(times: ReadonlyMap<string, string>): Promise<void>;
}

/** A process's request for uses, which it then spends on API requests itself. */
export interface RateRequest {
  /** Identifies the API key and the scope used. */
  readonly name: string;
  /** Uses per minute of all processes together. */
  readonly limit: number;
  readonly wanted: number;
  /** The unused part of the last lease. */
  readonly unused?: Pick<RateLease, "granted" | "window"> | undefined;
}

interface RateLease {
  readonly granted: number;
  /** The time window in which the uses count. */
  readonly window: number;
  /** Milliseconds to wait before asking again, when none were granted. */
  readonly waitMs: number;
}

/** Rate limits of API keys, shared by all processes on one database. */
export interface KeyRates {
  /** Grants up to `wanted` uses, as far as the limit allows. */
  lease(request: RateRequest): Promise<RateLease>;
}
