import type { Scope } from "../operations/operation.ts";

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

/** Uses that one process asks for, to hand them to requests itself. */
export interface RateRequest {
  /** The API key and the scope that it uses. */
  readonly name: string;
  /** Uses per minute, by all processes together. */
  readonly limit: number;
  readonly wanted: number;
  /** The part of the last lease that no request needed. */
  readonly unused?: Pick<RateLease, "granted" | "window"> | undefined;
}

interface RateLease {
  readonly granted: number;
  /** The window of time that they count in. */
  readonly window: number;
  /** When none were granted: when to ask again. */
  readonly waitMs: number;
}

/** Rate limits of API keys that hold for all processes on one database. */
export interface KeyRates {
  /** Grants as many uses as the limit has left, up to those that are wanted. */
  lease(request: RateRequest): Promise<RateLease>;
}
