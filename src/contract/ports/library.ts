import type { JudgeAudit } from "../schemas/judge-audit.ts";
import type { LibraryEntry } from "../schemas/library.ts";
import type { Scenario } from "../schemas/scenario.ts";

export interface StoredVersion {
  readonly scenario: Scenario;
  readonly version: string;
  readonly created_at: number;
  readonly demo: boolean;
}

/** Stored scenarios. Every version stays readable until the scenario is removed. */
export interface Library {
  /** Stores each scenario whose version is new; `created` is false for versions that already exist. */
  put(
    scenarios: readonly { readonly scenario: Scenario; readonly version: string }[],
    options: { readonly at: number; readonly demo: boolean },
  ): Promise<readonly { readonly id: string; readonly version: string; readonly created: boolean }[]>;
  /** Sorted by id. A page may hold fewer than `limit` when scenarios are long, but at least one while any are left. */
  list(filter: {
    readonly id?: string | undefined;
    readonly search?: string | undefined;
    readonly tag?: string | undefined;
    readonly limit: number;
    readonly cursor?: string | undefined;
  }): Promise<{
    readonly entries: readonly (Omit<LibraryEntry, "updated_at"> & { readonly updated_at: number })[];
    readonly next_cursor: string | null;
  }>;
  /** The newest version, or the one asked for. */
  get(id: string, version?: string): Promise<StoredVersion | null>;
  /** The newest version of each of these ids that the library has. */
  newest(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Maps scenario ids to another scenario whose newest version has the same turns, if there is one. */
  sameTurns(scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, string>>;
  /** Newest first. */
  versions(id: string): Promise<readonly { readonly version: string; readonly created_at: number }[]>;
  /** False when there is no such scenario. */
  remove(id: string): Promise<boolean>;
  removeDemo(): Promise<number>;
}

/** Audits of judges. The last audit of each judge counts. */
export interface JudgeAudits {
  record(audit: JudgeAudit, at: number): Promise<void>;
  /** True when the judge passed its last audit. */
  hasPassed(fingerprint: string): Promise<boolean>;
}
