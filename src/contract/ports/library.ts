import type { JudgeAudit } from "../schemas/judge-audit.ts";
import type { LibraryEntry } from "../schemas/library.ts";
import type { Scenario } from "../schemas/scenario.ts";

export interface StoredVersion {
  readonly scenario: Scenario;
  readonly version: string;
  readonly created_at: number;
  readonly demo: boolean;
}

/** The scenarios people keep. Every version stays readable until the scenario is removed. */
export interface Library {
  /** Stores each scenario that is not there in this very form. Tells what is new. */
  put(
    scenarios: readonly { readonly scenario: Scenario; readonly version: string }[],
    options: { readonly at: number; readonly demo: boolean },
  ): Promise<readonly { readonly id: string; readonly version: string; readonly created: boolean }[]>;
  /** In order of id: fewer than `limit` where scenarios are long, but at least one as long as there are any. */
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
  /** By the id of those scenarios that have one: another scenario whose newest version has the same turns. */
  sameTurns(scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, string>>;
  /** Newest first. */
  versions(id: string): Promise<readonly { readonly version: string; readonly created_at: number }[]>;
  /** False when it was not there. */
  remove(id: string): Promise<boolean>;
  removeDemo(): Promise<number>;
}

/** What is known about judges: the last audit of each counts. */
export interface JudgeAudits {
  record(audit: JudgeAudit, at: number): Promise<void>;
  /** True when the judge's last audit was passed. */
  hasPassed(fingerprint: string): Promise<boolean>;
}
