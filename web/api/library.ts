import type { z } from "zod";
import type {
  FrozenConversation,
  ImportAnswer,
  ImportRequest,
  KeptScenarios,
  LibraryList,
  LibraryScenario,
  ScenarioVersions,
} from "../../src/contract/schemas/library.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { ApiError } from "./api-error.ts";
import { evaluationUrl, fetchJson, request, toExportedFile, type ExportedFile } from "./http.ts";

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
): Promise<LibraryList> => fetchJson(await evaluationUrl("/scenarios", filter), { signal });

export const fetchScenario = async (
  id: string,
  { version, signal = null }: { version?: string | undefined; signal?: AbortSignal | null } = {},
): Promise<LibraryScenario> => fetchJson(await scenarioUrl(id, "", { version }), { signal });

/** The newest version in the library; null when there is none. */
export type StoredScenario = LibraryScenario | null;

/** "unknown" when the library cannot be read; saving then reports the error. */
export const findScenario = (id: string): Promise<StoredScenario | "unknown"> =>
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
  const found: StoredScenario[] = [];
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
  const url = await scenarioUrl(id, "/versions");
  return (await fetchJson<z.infer<typeof ScenarioVersions>>(url, { signal })).versions;
}

/** Stores a scenario, which the service validates. */
export async function saveScenario(scenario: unknown): Promise<SavedScenario | undefined> {
  const body = JSON.stringify(scenario);
  const answer = await fetchJson<z.infer<typeof KeptScenarios>>(await evaluationUrl("/scenarios"), {
    method: "POST",
    body,
  });
  return answer.scenarios[0];
}

/** Makes a scripted scenario of a conversation and stores it. Resolves with its id. */
export async function freezeConversation(
  runId: string,
  { scenarioId, attempt }: { scenarioId: string; attempt: number },
): Promise<string> {
  const body = JSON.stringify({ scenario_id: scenarioId, attempt, keep: true });
  const url = await evaluationUrl(`/runs/${encodeURIComponent(runId)}/freeze`);
  return (await fetchJson<FrozenConversation>(url, { method: "POST", body })).scenario.id;
}

export const requestImport = async (body: z.input<typeof ImportRequest>): Promise<Imported> =>
  fetchJson(await evaluationUrl("/scenarios/import"), { method: "POST", body: JSON.stringify(body) });

export async function removeScenario(id: string): Promise<void> {
  await request(await scenarioUrl(id), { method: "DELETE" });
}

export async function removeDemoScenarios(): Promise<void> {
  await request(await evaluationUrl("/scenarios"), { method: "DELETE" });
}

export const exportScenarios = async (format: string): Promise<ExportedFile> =>
  toExportedFile(await request(await evaluationUrl("/scenarios", { format })));

const scenarioUrl = (id: string, rest = "", query: object = {}): Promise<URL> =>
  evaluationUrl(`/scenarios/${encodeURIComponent(id.toWellFormed())}${rest}`, query);
