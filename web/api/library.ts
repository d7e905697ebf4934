import type { z } from "zod";
import type {
  ImportAnswer,
  ImportRequest,
  KeptScenarios,
  LibraryList,
  LibraryScenario,
  ScenarioVersions,
} from "../../src/contract/schemas/library.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { ApiError } from "./api-error.ts";
import { ask, parseJsonBody, send, toExportedFile, type ExportedFile } from "./http.ts";

export type SavedScenario = z.infer<typeof KeptScenarios>["scenarios"][number];
export type Imported = z.infer<typeof ImportAnswer>;
type ScenarioVersion = z.infer<typeof ScenarioVersions>["versions"][number];

export interface LibraryFilter {
  readonly id?: string;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
}

export const fetchLibrary = async (
  filter: LibraryFilter & { cursor?: string | undefined; limit?: string },
  signal: AbortSignal | null = null,
): Promise<LibraryList> => parseJsonBody(await send("listScenarios", { query: filter, signal }));

export const fetchScenario = async (
  id: string,
  { version, signal = null }: { version?: string | undefined; signal?: AbortSignal | null } = {},
): Promise<LibraryScenario> => ask("getScenario", { parameters: { scenario_id: id }, query: { version }, signal });

/** The newest version in the library; null when there is none. */
export type KeptScenario = LibraryScenario | null;

/** "unknown" when the library cannot be read; saving then reports the error. */
export const findScenario = (id: string): Promise<KeptScenario | "unknown"> =>
  fetchScenario(id).catch((error: unknown) => (isMissing(error) ? null : "unknown"));

/** Queries the list instead of the scenario, because browsers log every 404 as an error. */
export const hasScenario = (id: string): Promise<boolean> =>
  fetchLibrary({ id }).then(
    ({ scenarios }) => scenarios.some((entry) => entry.id === id),
    () => false,
  );

/** Browsers fail requests of a page that sends more than a thousand at once. */
const readAtOnce = 50;

/** The newest versions in the given order, and the ids that no longer exist. */
export async function fetchScenarios(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<{ scenarios: Scenario[]; missing: string[] }> {
  const found: KeptScenario[] = [];
  for (let start = 0; start < ids.length; start += readAtOnce) {
    const reads = ids.slice(start, start + readAtOnce).map((id) =>
      fetchScenario(id, { signal }).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      }),
    );
    found.push(...(await Promise.all(reads)));
  }
  return {
    scenarios: found.flatMap((entry) => (entry ? [entry.scenario] : [])),
    missing: ids.filter((_, index) => !found[index]),
  };
}

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

export async function fetchVersions(id: string, signal: AbortSignal): Promise<ScenarioVersion[]> {
  return (await ask("listScenarioVersions", { parameters: { scenario_id: id }, signal })).versions;
}

/** Stores a scenario, which the service validates. */
export async function saveScenario(scenario: unknown): Promise<SavedScenario | undefined> {
  return (await ask("keepScenarios", { text: JSON.stringify(scenario) })).scenarios[0];
}

/** Makes a scripted scenario of a conversation and stores it. Resolves with its id. */
export async function freezeConversation(
  runId: string,
  { scenarioId, attempt }: { scenarioId: string; attempt: number },
): Promise<string> {
  const body = { scenario_id: scenarioId, attempt, keep: true };
  return (await ask("freezeConversation", { parameters: { run_id: runId }, body })).scenario.id;
}

export const requestImport = async (body: z.input<typeof ImportRequest>): Promise<Imported> =>
  ask("importScenarios", { body });

export async function removeScenario(id: string): Promise<void> {
  await send("removeScenario", { parameters: { scenario_id: id } });
}

export async function removeDemoScenarios(): Promise<void> {
  await send("removeDemoScenarios", {});
}

export const exportScenarios = async (format: string): Promise<ExportedFile> =>
  toExportedFile(await send("listScenarios", { query: { format } }));
