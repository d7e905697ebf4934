import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { canonicalJson } from "../base/json.ts";
import { ServiceError } from "../contract/errors.ts";
import type { LibraryList, LibraryScenario } from "../contract/schemas/library.ts";
import type { Library } from "../contract/ports/library.ts";
import type { Scenario, ScenarioInput } from "../contract/schemas/scenario.ts";
import { scenarioFromInput } from "./plan/plan-run.ts";

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
      const page = await library.list({ limit: pageSize, ...(cursor !== "" && { cursor }) });
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
          kept.push({ ...entry, ...(duplicate_of !== undefined && { duplicate_of }) });
        }
      }
      return kept;
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

function versionOf(scenario: Scenario): string {
  return createHash("sha256").update(canonicalJson(scenario)).digest("hex").slice(0, 16);
}
