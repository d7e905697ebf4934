import type { z } from "zod";
import type { ErrorCode } from "../src/contract/errors.ts";
import type { RunEstimate } from "../src/contract/schemas/budget.ts";
import type { RescoreRequest } from "../src/contract/schemas/evaluation-request.ts";
import type { EvaluationResponse } from "../src/contract/schemas/evaluation-response.ts";
import type { StudioModels } from "../src/contract/schemas/models.ts";
import type { Run, RunList, RunState } from "../src/contract/schemas/run.ts";
import { ApiError, isKeyRefused, toApiError } from "./api-error.ts";
import { toExportedFile, type ExportedFile } from "./exported-file.ts";
import { agentUrl, evaluationUrl, readJson, request } from "./http.ts";
import { readLines } from "./read-lines.ts";
import type { RunScenarioList, RunScenarioQuery } from "./run/run-scenario-list.ts";
import { readEvents, type ServerEvent } from "./server-events.ts";

const runPath = (id: string, rest = ""): string => `/runs/${encodeURIComponent(id)}${rest}`;

export const studioModels = (signal: AbortSignal): Promise<StudioModels> =>
  readJson(agentUrl("/studio/models"), { signal });

export interface RunFilters {
  readonly state?: RunState | undefined;
  readonly model_id?: string | undefined;
  readonly search?: string | undefined;
  readonly search_model_ids?: string | undefined;
}

export const listRuns = async (
  filters: RunFilters & { cursor?: string | undefined; limit?: string },
  signal: AbortSignal,
): Promise<RunList> => readJson(await evaluationUrl("/runs", filters), { signal });

export const getRun = async (id: string, signal: AbortSignal): Promise<Run> =>
  readJson(await evaluationUrl(runPath(id)), { signal });

/** The request that makes the same run again. */
export const getRunRequest = async (id: string, signal: AbortSignal): Promise<Record<string, unknown>> =>
  readJson(await evaluationUrl(runPath(id, "/request")), { signal });

export const getResults = async (id: string, signal: AbortSignal): Promise<EvaluationResponse> =>
  readJson(await evaluationUrl(runPath(id, "/results")), { signal });

/** Everything stored of one scenario of a run. */
export const getScenarioResults = async (
  id: string,
  scenario_id: string,
  signal: AbortSignal,
): Promise<EvaluationResponse> => readJson(await evaluationUrl(runPath(id, "/results"), { scenario_id }), { signal });

/** One page of a run's scenarios in short. */
export const listRunScenarios = async (
  id: string,
  query: RunScenarioQuery,
  signal: AbortSignal,
): Promise<RunScenarioList> => readJson(await evaluationUrl(runPath(id, "/scenarios"), query), { signal });

/** Starts a run and answers as soon as it is stored. `body` is the JSON text shown to the user, sent as it is. */
export const startRun = async (body: string): Promise<Run> =>
  readJson(await evaluationUrl("/evaluate"), { method: "POST", headers: { prefer: "respond-async" }, body });

/** What a run would take; null where the service cannot tell, or the request is not one yet. An endpoint it will never call is thrown. */
export async function estimateRun(body: string, signal: AbortSignal): Promise<RunEstimate | null> {
  try {
    return await readJson<RunEstimate>(await evaluationUrl("/estimate"), { method: "POST", body, signal });
  } catch (error) {
    const { code, status } = toApiError(error);
    if (code === forbiddenEndpoint || status === null || status >= 500) throw error;
    return null;
  }
}

const forbiddenEndpoint = "endpoint_not_allowed" satisfies ErrorCode;

export const isForbiddenEndpoint = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === forbiddenEndpoint;

export const cancelRun = async (id: string): Promise<Run> =>
  readJson(await evaluationUrl(runPath(id, "/cancel")), { method: "POST", body: "{}" });

/** Scores what is stored of a run again, by what `body` names in place of what it was scored by. */
export const rescoreRun = async (id: string, body: z.input<typeof RescoreRequest>): Promise<Run> =>
  readJson(await evaluationUrl(runPath(id, "/rescore")), { method: "POST", body: JSON.stringify(body) });

/** A run in another format. */
export const exportRun = async (id: string, format: string): Promise<ExportedFile> =>
  toExportedFile(await request(await evaluationUrl(runPath(id, "/export"), { format })));

/** A run as JSON lines, one turn each, as they come: however large it is, one line is held at a time. */
export async function* exportLines(id: string, signal: AbortSignal): AsyncGenerator<string> {
  const url = await evaluationUrl(runPath(id, "/export"), { format: "jsonl" });
  const { body } = await request(url, { signal });
  if (body) yield* readLines(body);
}

export async function deleteRun(id: string): Promise<void> {
  await request(await evaluationUrl(runPath(id)), { method: "DELETE" });
}

/** Whether the service takes the key of this tab. One that may not list runs is taken all the same; one no header can carry is not. */
export async function isKeyTaken(): Promise<boolean> {
  try {
    await request(await evaluationUrl("/runs?limit=1"));
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || isKeyRefused(error)) return false;
    if (error.code === "scope_missing") return true;
    throw error;
  }
}

/** Deletes every run a scripted demo model answered, page by page, and tells of each. */
export async function removeDemoRuns(onRemoved: (runId: string) => void): Promise<void> {
  const { signal } = new AbortController();
  let cursor: string | undefined;
  do {
    const page = await listRuns({ cursor }, signal);
    for (const { run_id } of page.runs.filter(({ demo }) => demo)) {
      await deleteRun(run_id);
      onRemoved(run_id);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** A number no stored turn reaches: what is stored is read from the results, and need not be told again one by one. */
const noStoredTurns = "999999999999999";

/** What happens in a run from now on, until the service closes the stream: its progress, and its end. */
export async function* followRun(id: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const headers = { accept: "text/event-stream", "last-event-id": noStoredTurns };
  const response = await request(await evaluationUrl(runPath(id, "/events")), { headers, signal });
  if (response.body) yield* readEvents(response.body);
}
