import type { z } from "zod";
import type {
  ImportAnswer,
  ImportRequest,
  KeptScenarios,
  LibraryList,
  LibraryScenario,
  ScenarioVersions,
} from "../src/contract/schemas/library.ts";
import type { Scenario } from "../src/contract/schemas/scenario.ts";
import { ApiError } from "./api-error.ts";
import { toExportedFile, type ExportedFile } from "./exported-file.ts";
import { evaluationUrl, readJson, request } from "./http.ts";

export type Kept = z.infer<typeof KeptScenarios>["scenarios"][number];
export type Imported = z.infer<typeof ImportAnswer>;
type ScenarioVersion = z.infer<typeof ScenarioVersions>["versions"][number];

const scenarioPath = (id: string, rest = ""): string => `/scenarios/${encodeURIComponent(id.toWellFormed())}${rest}`;

export interface LibraryFilter {
  readonly id?: string;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
}

export const listScenarios = async (
  filter: LibraryFilter & { cursor?: string | undefined; limit?: string },
  signal: AbortSignal | null = null,
): Promise<LibraryList> => readJson(await evaluationUrl("/scenarios", filter), { signal });

export const getScenario = async (
  id: string,
  { version, signal = null }: { version?: string | undefined; signal?: AbortSignal | null } = {},
): Promise<LibraryScenario> => readJson(await evaluationUrl(scenarioPath(id), { version }), { signal });

/** A scenario of the library as it is now; null when there is none. */
export type Stored = LibraryScenario | null;

/** What is stored under an id. Where that cannot be found out, saving it will say why. */
export const findScenario = (id: string): Promise<Stored | "unknown"> =>
  getScenario(id).catch((error: unknown) => (isMissing(error) ? null : "unknown"));

/** Asked of the list, for ids that may well be nowhere: a browser logs every 404 as an error. */
export const hasScenario = (id: string): Promise<boolean> =>
  listScenarios({ id }).then(
    ({ scenarios }) => scenarios.some((entry) => entry.id === id),
    () => false,
  );

/** A browser fails requests of a page that makes more than a thousand at once. */
const readAtOnce = 50;

/** Several scenarios in their newest versions, in the order asked for, and the ids of those that are gone. */
export async function getScenarios(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<{ scenarios: Scenario[]; missing: string[] }> {
  const found: Stored[] = [];
  for (let start = 0; start < ids.length; start += readAtOnce) {
    const reads = ids.slice(start, start + readAtOnce).map((id) =>
      getScenario(id, { signal }).catch((error: unknown) => {
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

export async function scenarioVersions(id: string, signal: AbortSignal): Promise<ScenarioVersion[]> {
  const url = await evaluationUrl(scenarioPath(id, "/versions"));
  return (await readJson<z.infer<typeof ScenarioVersions>>(url, { signal })).versions;
}

/** Stores a scenario. What it must hold is for the service to say. */
export async function keepScenario(scenario: unknown): Promise<Kept | undefined> {
  const body = JSON.stringify(scenario);
  const answer = await readJson<z.infer<typeof KeptScenarios>>(await evaluationUrl("/scenarios"), {
    method: "POST",
    body,
  });
  return answer.scenarios[0];
}

export const importScenarios = async (body: z.input<typeof ImportRequest>): Promise<Imported> =>
  readJson(await evaluationUrl("/scenarios/import"), { method: "POST", body: JSON.stringify(body) });

export async function removeScenario(id: string): Promise<void> {
  await request(await evaluationUrl(scenarioPath(id)), { method: "DELETE" });
}

export async function removeDemoScenarios(): Promise<void> {
  await request(await evaluationUrl("/scenarios"), { method: "DELETE" });
}

/** The whole library in another format. */
export const exportScenarios = async (format: string): Promise<ExportedFile> =>
  toExportedFile(await request(await evaluationUrl("/scenarios", { format })));
