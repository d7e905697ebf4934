import { compact } from "../base/compact.ts";
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { canonicalJson } from "../base/json.ts";
import { ServiceError } from "../contract/errors/errors.ts";
import type { LibraryChange, LibraryList, LibraryScenario } from "../contract/schemas/library.ts";
import type { Library } from "../contract/ports/library.ts";
import type { Scenario, ScenarioInput } from "../contract/schemas/scenario.ts";
import { scenarioFromInput } from "./plan/to-scenario.ts";

interface KeptScenario {
  readonly id: string;
  readonly version: string;
  /** False when the same content was stored already. */
  readonly created: boolean;
  /** Another scenario of the library with the same turns. */
  readonly duplicate_of?: string;
}

/** The scenario library of the service and the command line. */
export interface ScenarioLibrary {
  keep(
    inputs: readonly z.output<typeof ScenarioInput>[],
    options?: { demo?: boolean },
  ): Promise<readonly KeptScenario[]>;
  /** The changes that `keep` would make, without making them. */
  preview(inputs: readonly z.output<typeof ScenarioInput>[]): Promise<readonly LibraryChange[]>;
  list(filter: Parameters<Library["list"]>[0]): Promise<LibraryList>;
  get(id: string, version?: string): Promise<LibraryScenario>;
  versions(id: string): Promise<readonly { version: string; created_at: string }[]>;
  /** Every scenario in its newest version, a page in memory at a time. */
  all(): AsyncIterable<Scenario>;
  remove(id: string): Promise<void>;
  removeDemo(): Promise<number>;
}

const pageSize = 200;

export function createScenarioLibrary(library: Library): ScenarioLibrary {
  async function get(id: string, version?: string): Promise<LibraryScenario> {
    const stored = await library.get(id, version);
    if (!stored) {
      const which = version === undefined ? "" : ` in version ${version.slice(0, 80)}`;
      throw new ServiceError("not_found", `There is no scenario "${id.slice(0, 80)}"${which}.`, {
        hint: "GET /scenarios lists the library.",
      });
    }
    return { ...stored, created_at: new Date(stored.created_at).toISOString() };
  }

  async function* all(): AsyncGenerator<Scenario> {
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await library.list(compact({ limit: pageSize, cursor: cursor || undefined }));
      for (const { id } of page.entries) {
        const stored = await library.get(id);
        if (stored) yield stored.scenario;
      }
      cursor = page.next_cursor;
    }
  }

  return {
    get,
    all,
    async keep(inputs, { demo = false } = {}) {
      const scenarios = inputs.map((input) => scenarioFromInput(input));
      for (const { id } of scenarios) refuseUnreachable(id);
      // Scenarios with the same turns are not independent evidence, so duplicates are reported.
      const duplicates = await library.sameTurns(scenarios);
      const at = Date.now();
      const kept: KeptScenario[] = [];
      for await (const some of inSteps(scenarios)) {
        const versions = some.map((scenario) => ({ scenario, version: versionOf(scenario) }));
        for (const entry of await library.put(versions, { at, demo })) {
          const duplicate_of = duplicates.get(entry.id);
          kept.push(compact({ ...entry, duplicate_of }));
        }
      }
      return kept;
    },
    async preview(inputs) {
      const scenarios = inputs.map((input) => scenarioFromInput(input));
      const newest = await library.newest(scenarios.map(({ id }) => id));
      const changes: LibraryChange[] = [];
      for await (const some of inSteps(scenarios)) {
        for (const scenario of some) {
          const { id } = scenario;
          const version = newest.get(id);
          if (version === undefined) changes.push({ id, state: "new" });
          else if (version === versionOf(scenario)) changes.push({ id, state: "unchanged" });
          else {
            const stored = await library.get(id, version);
            changes.push({ id, state: "replaced", loses: stored ? lostParts(stored.scenario, scenario) : [] });
          }
        }
      }
      return changes;
    },
    async list(filter) {
      const { entries, next_cursor } = await library.list(filter);
      const scenarios = entries.map((entry) => ({ ...entry, updated_at: new Date(entry.updated_at).toISOString() }));
      return { scenarios, next_cursor };
    },
    async versions(id) {
      await get(id);
      const versions = await library.versions(id);
      return versions.map(({ version, created_at }) => ({ version, created_at: new Date(created_at).toISOString() }));
    },
    async remove(id) {
      await get(id);
      await library.remove(id);
    },
    removeDemo: () => library.removeDemo(),
  };
}

/** Scenarios stored between two yields to the event loop: one request may contain tens of thousands. */
const stepSize = 100;

async function* inSteps(scenarios: readonly Scenario[]): AsyncGenerator<readonly Scenario[]> {
  for (let start = 0; start < scenarios.length; start += stepSize) {
    if (start > 0) await setImmediate();
    yield scenarios.slice(start, start + stepSize);
  }
}

/** Refuses ids that a URL cannot contain: clients remove dot segments, and a lone surrogate cannot be encoded. */
function refuseUnreachable(id: string): void {
  if (id !== "." && id !== ".." && id.isWellFormed()) return;
  throw new ServiceError(
    "validation_failed",
    `A library scenario cannot have the id ${JSON.stringify(id.slice(0, 80))}: no URL can address it.`,
    {
      hint: "Choose an id other than . and .. that is well-formed Unicode.",
    },
  );
}

/** The parts of a stored scenario that its replacement does not have, by the names of their fields. */
function lostParts(stored: Scenario, next: Scenario): string[] {
  const lost: string[] = [];
  for (const [name, value] of Object.entries(stored)) {
    if (name !== "interactions" && isFilled(value) && !isFilled(next[name as keyof Scenario])) lost.push(name);
  }
  const turns = new Map<string, number>();
  for (const [index, turn] of stored.interactions.entries()) {
    const replacement: Partial<typeof turn> = next.interactions[index] ?? turn;
    for (const [name, value] of Object.entries(turn)) {
      if (!isFilled(value) || isFilled(replacement[name as keyof typeof turn])) continue;
      turns.set(name, (turns.get(name) ?? 0) + 1);
    }
  }
  for (const [name, count] of turns) lost.push(`${name} of ${count} ${count === 1 ? "turn" : "turns"}`);
  const fewer = stored.interactions.length - next.interactions.length;
  if (fewer > 0) lost.push(`${fewer} ${fewer === 1 ? "turn" : "turns"}`);
  return lost;
}

/** False for absent values and for the empty ones that a schema fills in. */
function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function versionOf(scenario: Scenario): string {
  return createHash("sha256").update(canonicalJson(scenario)).digest("hex").slice(0, 16);
}
