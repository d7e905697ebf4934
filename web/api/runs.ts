import type { ScoreAgreements } from "../../src/contract/schemas/judging/score-agreement.ts";
import type { RunSequence } from "../../src/contract/schemas/sequence.ts";
import type { z } from "zod";
import type { ErrorCode } from "../../src/contract/errors/errors.ts";
import type { RunEstimate } from "../../src/contract/schemas/budget.ts";
import type { RunComparison, RunRanking } from "../../src/contract/schemas/comparison.ts";
import type { RescoreRequest } from "../../src/contract/schemas/evaluation-request.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run, RunChanges, RunList, RunState } from "../../src/contract/schemas/run.ts";
import type { RunScenarioList } from "../../src/contract/schemas/run-scenarios.ts";
import type { RunScenarioQuery } from "../run/grid/scenario-rows.ts";
import { ApiError, isAuthError, toApiError } from "./api-error.ts";
import { ask, parseJsonBody, send, toExportedFile, type ExportedFile } from "./http.ts";
import { readEventStream, readLines, type StreamEvent } from "./streams.ts";

export interface RunFilters {
  readonly state?: RunState | undefined;
  readonly model_id?: string | undefined;
  readonly search?: string | undefined;
  readonly search_model_ids?: string | undefined;
  readonly tag?: string | undefined;
  readonly label?: string | undefined;
  readonly score?: string | undefined;
  readonly min_score?: string | undefined;
  readonly max_score?: string | undefined;
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
  readonly test_name?: string | undefined;
}

export const fetchRuns = async (
  filters: RunFilters & { cursor?: string | undefined; limit?: string },
  signal: AbortSignal,
): Promise<RunList> => ask("listRuns", { query: filters, signal });

export const fetchRun = async (id: string, signal: AbortSignal): Promise<Run> =>
  ask("getRun", { parameters: { run_id: id }, signal });

/** The request that would start the same run again. */
export const fetchRunRequest = async (id: string, signal: AbortSignal): Promise<Record<string, unknown>> =>
  ask("getRunRequest", { parameters: { run_id: id }, signal });

export const fetchResults = async (id: string, signal: AbortSignal): Promise<EvaluationResponse> =>
  ask("getRunResults", { parameters: { run_id: id }, signal });

export const fetchScenarioResults = async (
  id: string,
  scenario_id: string,
  signal: AbortSignal,
): Promise<EvaluationResponse> => ask("getRunResults", { parameters: { run_id: id }, query: { scenario_id }, signal });

/** One page of scenario summaries. */
export const fetchRunScenarios = async (
  id: string,
  query: RunScenarioQuery,
  signal: AbortSignal,
): Promise<RunScenarioList> => ask("listRunScenarios", { parameters: { run_id: id }, query, signal });

/** The events of a run from now on, until the service closes the stream. */
export async function* streamRunEvents(id: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const headers = { accept: "text/event-stream", "last-event-id": afterStoredTurns };
  const response = await send("getRunEvents", { parameters: { run_id: id }, headers, signal });
  if (response.body) yield* readEventStream(response.body);
}

/** Higher than the id of any stored turn: stored turns are read from the results and need not be sent again. */
const afterStoredTurns = "999999999999999";

/** Starts a run and returns as soon as it is stored. `body` is sent exactly as it is shown to the user. */
export const submitRun = async (body: string): Promise<Run> =>
  parseJsonBody(await send("evaluate", { headers: { prefer: "respond-async" }, text: body }));

/** Expected size of a run; null while the request is incomplete. Throws when the service is down or forbids the endpoint. */
export async function fetchEstimate(body: string, signal: AbortSignal): Promise<RunEstimate | null> {
  try {
    return await ask("estimateRun", { text: body, signal });
  } catch (error) {
    const { code, status } = toApiError(error);
    if (code === forbiddenEndpoint || status === null || status >= 500) throw error;
    return null;
  }
}

const forbiddenEndpoint = "endpoint_not_allowed" satisfies ErrorCode;

export const isForbiddenEndpoint = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === forbiddenEndpoint;

export const requestCancel = async (id: string): Promise<Run> => ask("cancelRun", { parameters: { run_id: id } });

/** Renames a run or replaces its tags. */
export const changeRun = async (id: string, changes: RunChanges): Promise<Run> =>
  ask("changeRun", { parameters: { run_id: id }, body: changes });

/** Scores the stored replies again; `body` overrides the scoring settings of the run. */
export const requestRescore = async (id: string, body: z.input<typeof RescoreRequest>): Promise<Run> =>
  ask("rescoreRun", { parameters: { run_id: id }, body });

export interface ComparedRuns {
  readonly baseline: string;
  readonly candidate: string;
  /** Asks whether the candidate is shown not to be worse by this. */
  readonly margin?: string;
}

export const fetchComparison = async (compared: ComparedRuns, signal: AbortSignal): Promise<RunComparison> =>
  ask("compareRuns", { query: compared, signal });

export const fetchSequence = async (id: string, signal: AbortSignal): Promise<RunSequence> =>
  ask("getRunSequence", { parameters: { run_id: id }, signal });

export const fetchScoreAgreement = async (id: string, signal: AbortSignal): Promise<ScoreAgreements> =>
  ask("getScoreAgreement", { parameters: { run_id: id }, signal });

/** `runs` holds ids separated by commas. The service picks the score when none is given. */
export const fetchRanking = async (query: { runs: string; score: string }, signal: AbortSignal): Promise<RunRanking> =>
  ask("rankRuns", { query, signal });

export const exportRun = async (
  id: string,
  query: { format: string; model_name?: string | undefined },
): Promise<ExportedFile> => toExportedFile(await send("exportRun", { parameters: { run_id: id }, query }));

/** The turns of a run as JSON lines, streamed: memory use does not depend on the size of the run. */
export async function* exportLines(id: string, signal: AbortSignal): AsyncGenerator<string> {
  const { body } = await send("exportRun", { parameters: { run_id: id }, query: { format: "jsonl" }, signal });
  if (body) yield* readLines(body);
}

export async function deleteRun(id: string): Promise<void> {
  await send("deleteRun", { parameters: { run_id: id } });
}

/** Deletes the runs of the scripted demo models, and reports each. */
export async function removeDemoRuns(onRemoved: (runId: string) => void): Promise<void> {
  const { signal } = new AbortController();
  let cursor: string | undefined;
  do {
    const page = await fetchRuns({ cursor }, signal);
    for (const { run_id } of page.runs.filter(({ demo }) => demo)) {
      await deleteRun(run_id);
      onRemoved(run_id);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** False also for a key that no header can carry. A key without the scope to list runs is accepted. */
export async function isKeyAccepted(): Promise<boolean> {
  try {
    await send("listRuns", { query: { limit: 1 } });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || isAuthError(error)) return false;
    if (error.code === "scope_missing") return true;
    throw error;
  }
}
