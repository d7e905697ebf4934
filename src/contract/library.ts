import { z } from "zod";
import { Scenario } from "./scenario.ts";

/** A scenario of the library. Its version is a hash of its content: the same content is the same version. */
export const LibraryScenario = z
  .object({
    scenario: Scenario,
    version: z.string(),
    created_at: z.iso.datetime().describe("When this version was stored."),
    demo: z.boolean().describe("True for the examples a new library starts with."),
  })
  .meta({ id: "LibraryScenario" });
export type LibraryScenario = z.infer<typeof LibraryScenario>;

/** One line of the library's list: the newest version of each scenario. */
export const LibraryEntry = z
  .object({
    id: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    interactions: z.int().min(1),
    version: z.string(),
    versions: z.int().min(1),
    updated_at: z.iso.datetime(),
    demo: z.boolean(),
  })
  .meta({ id: "LibraryEntry" });
export type LibraryEntry = z.infer<typeof LibraryEntry>;

export const LibraryList = z
  .object({ scenarios: z.array(LibraryEntry), next_cursor: z.string().nullable() })
  .meta({ id: "LibraryList" });
export type LibraryList = z.infer<typeof LibraryList>;

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
