import type { LibraryEntry } from "../../src/contract/schemas/library.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { getRun } from "../api.ts";
import { getScenarios, listScenarios } from "../library-api.ts";

/** A library may hold tens of thousands: as many pages of its list are read as take no time. */
const mostPages = 5;

interface ChangedSinceOptions {
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
}

/** Of these scenarios, those that were changed in the library after a run was made. */
export async function changedSince(runId: string, { ids, signal }: ChangedSinceOptions): Promise<Scenario[]> {
  const [run, entries] = await Promise.all([getRun(runId, signal), firstEntries(signal)]);
  const wanted = new Set(ids);
  const changed = entries.filter(
    ({ id, updated_at }) => wanted.has(id) && Date.parse(updated_at) > Date.parse(run.created_at),
  );
  const { scenarios } = await getScenarios(
    changed.map(({ id }) => id),
    signal,
  );
  return scenarios;
}

async function firstEntries(signal: AbortSignal): Promise<LibraryEntry[]> {
  const entries: LibraryEntry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const list = await listScenarios({ cursor, limit: "200" }, signal);
    entries.push(...list.scenarios);
    if (list.next_cursor === null) break;
    cursor = list.next_cursor;
  }
  return entries;
}
