import { compact } from "../../../base/compact.ts";
import { yieldToEventLoop } from "../../../base/event-loop.ts";
import { runFileName } from "../../../base/file-name.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { exportRun } from "../../../contract/operations/analysis.ts";
import {
  cancelRun,
  changeRun,
  deleteRun,
  freezeConversation,
  getRun,
  getRunEvents,
  getRunRequest,
  getRunResults,
  listRuns,
  listRunScenarios,
} from "../../../contract/operations/evaluation.ts";
import type { RunFilter, RunRecord } from "../../../contract/ports/store.ts";
import { LastEventId } from "../../../contract/schemas/shared/request-headers.ts";
import type { RunEvent, RunListQuery } from "../../../contract/schemas/run.ts";
import { resultFormats, type ResultFormat } from "../../../formats/formats.ts";
import { demoModelName } from "../../../models/demo/demo-models.ts";
import { testsOwnAgent } from "../../../runs/plan/endpoints.ts";
import { requireEndedRun } from "../../../runs/stored/find-run.ts";
import type { ReadAttempt } from "../../../runs/results/read-results.ts";
import { writeReport } from "../../../runs/results/results-text.ts";
import { toRun, toRunList } from "../../../runs/results/to-run.ts";
import type { Runs } from "../../../runs/runs.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import { streamEvents, type ServerEvent } from "../../http/responses/event-stream.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { streamJson, streamText } from "./stream-text.ts";

/** Routes that read, change, cancel and delete runs. */
export const runRoutes: readonly Route<EvaluationDependencies>[] = [
  defineRoute(
    listRuns,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, query, caller }) =>
        context.json(toRunList(await runs.list({ ...toRunFilter(query), owner: caller.owner }))),
  ),

  defineRoute(
    getRun,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, caller }) =>
        context.json(toRun(await runs.get(params.run_id, caller.owner))),
  ),

  defineRoute(getRunRequest, ({ runs, ownAgent }: EvaluationDependencies) => async ({ context, params, caller }) => {
    const run = await runs.get(params.run_id, caller.owner);
    const request = await runs.request(run);
    // The agent started by a command ended with it; the agent of this service replaces it.
    const endpoint = testsOwnAgent(run) ? (ownAgent?.() ?? null) : null;
    return context.json(holdAnswer(context, endpoint === null ? request : { ...request, endpoint }));
  }),

  defineRoute(getRunResults, ({ runs, log }: EvaluationDependencies) => async ({ context, params, query, caller }) => {
    const run = await runs.get(params.run_id, caller.owner);
    return streamJson(context, runs.results(run, { scenarioId: query.scenario_id }), { log });
  }),

  defineRoute(
    listRunScenarios,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, query, caller }) =>
        context.json(await runs.scenarios(await runs.get(params.run_id, caller.owner), query)),
  ),

  defineRoute(freezeConversation, ({ runs, library }: EvaluationDependencies) => async (request) => {
    const { body, sent } = await request.read();
    const run = await runs.get(request.params.run_id, request.caller.owner);
    const scenario = await runs.freeze(run, body);
    const kept = body.keep ? await library.keep([scenario]) : undefined;
    return request.context.json({ scenario, kept, warnings: request.unknownFields(sent) });
  }),

  defineRoute(getRunEvents, ({ runs, log }: EvaluationDependencies) => async ({ context, params, caller }) => {
    const { id } = await runs.get(params.run_id, caller.owner);
    const after = lastEventId(context.req.header("last-event-id"));
    const left = new AbortController();
    const events = runs.follow(id, { after, signal: left.signal });
    return streamEvents(context, toServerEvents(events), { log, stop: () => left.abort() });
  }),

  defineRoute(
    cancelRun,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, caller }) =>
        context.json(toRun(await runs.cancel(params.run_id, caller.owner)), 202),
  ),

  defineRoute(changeRun, ({ runs }: EvaluationDependencies) => async (request) => {
    const changes = await request.body();
    return request.context.json(toRun(await runs.change(request.params.run_id, changes, request.caller.owner)));
  }),

  defineRoute(deleteRun, ({ runs }: EvaluationDependencies) => async ({ context, params, caller, signal }) => {
    await runs.remove(params.run_id, caller.owner, signal);
    return context.body(null, 204);
  }),
];

const dayMs = 86_400_000;

function toRunFilter(query: RunListQuery): Omit<RunFilter, "owner"> {
  const { search_model_ids: ids, score = "overall", min_score, max_score, created_from, created_to, ...filter } = query;
  const isDay = created_to?.length === "2026-11-18".length;
  return compact({
    ...filter,
    search_model_ids: ids?.split(","),
    scoreRange:
      min_score !== undefined || max_score !== undefined
        ? { name: score, minimum: min_score ?? -Infinity, maximum: max_score ?? Infinity }
        : undefined,
    createdRange:
      created_from !== undefined || created_to !== undefined
        ? {
            from: created_from === undefined ? 0 : Date.parse(created_from),
            to: created_to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(created_to) + (isDay ? dayMs - 1 : 0),
          }
        : undefined,
  });
}

export async function* toServerEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<ServerEvent> {
  for await (const event of events) {
    yield compact({ event: event.type, data: event.data, id: event.type === "interaction" ? event.id : undefined });
  }
}

function lastEventId(header: string | undefined): number {
  if (header === undefined || LastEventId.safeParse(header).success) return Number(header ?? 0);
  throw new ServiceError(
    "header_invalid",
    `Last-Event-ID must be the id of an event, not ${JSON.stringify(header.slice(0, 40))}.`,
  );
}

/** A run as a file, streamed while it is read. */
export const exportRoute = defineRoute(
  exportRun,
  ({ runs, log, reportTemplate }: EvaluationDependencies) =>
    async ({ context, params, query, caller }) => {
      const { format, model_name } = query;
      const run = await runs.get(params.run_id, caller.owner);
      // An exported file looks final, so a run in progress is refused.
      requireEndedRun(run, "it cannot be exported yet");
      const file = await exportFile(format, { run, runs, reportTemplate, model_name });
      // The report may run its own inline script and worker, without network access.
      const policy =
        "default-src 'none'; script-src 'unsafe-inline'; worker-src blob:; style-src 'unsafe-inline'; img-src data:";
      const headers = compact({
        "content-type": file.contentType,
        "content-disposition": `attachment; filename="${runFileName(toRun(run))}.${file.extension}"`,
        "content-security-policy": format === "html" ? policy : undefined,
      });
      return streamText(context, file.pieces, { log, headers });
    },
);

interface ExportFile {
  readonly contentType: string;
  readonly extension: string;
  readonly pieces: AsyncIterable<string>;
}

async function exportFile(
  format: string,
  {
    run,
    runs,
    reportTemplate,
    model_name,
  }: { run: RunRecord; runs: Runs; reportTemplate: () => Promise<string>; model_name: string | undefined },
): Promise<ExportFile> {
  const results = runs.results(run);
  if (format === "json") return { contentType: "application/json", extension: "json", pieces: results };
  if (format === "html") {
    const shown = toRun(run);
    const pieces = writeReport(await reportTemplate(), {
      run: shown,
      results,
      model_name: model_name ?? demoModelName(shown.model_id),
    });
    return { contentType: "text/html; charset=utf-8", extension: "html", pieces };
  }
  const found: ResultFormat | undefined = resultFormats.find(({ id }) => id === format);
  if (!found) throw new ServiceError("validation_failed", `The format ${format} cannot be written.`);
  return { ...found, pieces: writeInFormat(found, { run, runs }) };
}

/** Scenarios are written this long before other work gets its turn. */
const longestBlockMs = 20;

async function* writeInFormat(
  { create }: ResultFormat,
  { run, runs }: { run: RunRecord; runs: Runs },
): AsyncGenerator<string> {
  const writer = create();
  const { message, run_id, test_name, endpoint, model_id, state, demo, summary } = toRun(run);
  const { usage, ...figures } = summary ?? {};
  yield writer.start(
    compact({
      message,
      run_id,
      test_name,
      endpoint,
      model_id,
      state,
      demo,
      history: run.settings.history ?? "generated",
      system_prompt: run.settings.system_prompt,
      summary: summary && usage ? (figures as Omit<typeof summary, "usage">) : undefined,
      usage: summary && usage ? usage : undefined,
    }),
  );
  if (writer.attempt) {
    const look = writer.look && (({ scenario, attempt }: ReadAttempt) => writer.look?.(scenario, attempt));
    for await (const { scenario, attempt } of runs.attemptResults(run, { look }))
      yield* writer.attempt(scenario, attempt);
  } else {
    const { shortens: shortened } = writer;
    let begun = performance.now();
    for await (const result of runs.scenarioResults(run, { shortened })) {
      yield writer.scenario(result);
      // Formats that begin with totals send nothing until their end, so no client makes this wait.
      if (performance.now() - begun < longestBlockMs) continue;
      await yieldToEventLoop(longestBlockMs);
      begun = performance.now();
    }
  }
  yield* writer.finish();
}
