import { compact } from "../../../base/compact.ts";
import { z } from "zod";
import { ServiceError } from "../../../contract/errors/errors.ts";
import {
  getScenario,
  importScenarios,
  keepScenarios,
  listScenarios,
  listScenarioVersions,
  removeDemoScenarios,
  removeScenario,
} from "../../../contract/operations/library.ts";
import { ImportRequest } from "../../../contract/schemas/library.ts";
import { scenarioFormats } from "../../../formats/formats.ts";
import { isRecorded, reviewRequest, reviewTag, withoutRecording } from "../../../formats/review-request.ts";
import { FormatError } from "../../../formats/scenario-file.ts";
import { parseColumnMapping } from "../../../formats/documents/columns.ts";
import { scenarioProblems } from "../../../runs/plan/batch-problems.ts";
import { refuseInvalid } from "../../../runs/plan/fields-error.ts";
import type { ScenarioLibrary } from "../../../runs/scenario-library.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import { defineRoute, type Route, type RouteRequest } from "../../http/route.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { createScenarioFileReader, type ReadScenarioFile } from "../files/read-scenario-file.ts";
import type { ImportedFile } from "../files/scenario-file-thread.ts";
import { createLibraryWriter, type WriteLibraryFile } from "../files/write-library-file.ts";
import { createRunFromRequest } from "./plan-request.ts";

const writers = scenarioFormats.filter(({ write }) => write !== undefined);
const listed = listScenarios.responses[200];

/** `listScenarios` with the formats that can be written. */
const listOrExport = {
  ...listScenarios,
  query: listScenarios.query.extend({
    format: z
      .enum(writers.map(({ id }) => id))
      .optional()
      .describe(listScenarios.query.shape.format.description ?? ""),
  }),
  responses: {
    200: {
      ...listed,
      description: `${listed.description.replace(/\.$/, "")}: ${writers.map(({ id, extensions }) => `\`${id}\` (\`.${extensions[0]}\`)`).join(", ")}.`,
    },
  },
};

/** `importScenarios` with the formats that can be read. */
const importFile = {
  ...importScenarios,
  body: ImportRequest.extend({
    format: z
      .enum(["auto", ...scenarioFormats.map(({ id }) => id)])
      .default("auto")
      .describe(ImportRequest.shape.format.description ?? ""),
  }).meta({ id: "ImportRequest" }),
};

/** The scenario library: list, export, keep, import, read and remove scenarios. */
export const scenarioRoutes: readonly Route<EvaluationDependencies>[] = [
  defineRoute(listOrExport, ({ library }: EvaluationDependencies) => {
    const writeLibraryFile = createLibraryWriter();
    return async (request) => {
      const { format, ...filter } = request.query;
      if (format && filter.cursor !== undefined)
        throw invalidField("/cursor", "cannot be combined with format: a file has the whole library", filter.cursor);
      if (format) return exportLibrary(request, format, { library, writeLibraryFile });
      return request.context.json(await library.list(filter));
    };
  }),

  defineRoute(keepScenarios, ({ library, planLimits, helpers }: EvaluationDependencies) => async (request) => {
    const { body, sent } = await request.read();
    const scenarios = [body].flat();
    const problems = scenarioProblems(scenarios, { limits: planLimits, helpers }).flatMap((ofScenario, index) =>
      ofScenario.map((problem) => ({
        ...problem,
        pointer: Array.isArray(body) ? `/${index}${problem.pointer}` : problem.pointer,
      })),
    );
    refuseInvalid(problems);
    return request.context.json({ scenarios: await library.keep(scenarios), warnings: request.unknownFields(sent) });
  }),

  defineRoute(importFile, (dependencies: EvaluationDependencies) => {
    const { library, planLimits, helpers, redact } = dependencies;
    const readScenarioFile = createScenarioFileReader({ limits: planLimits, helpers });
    return async (request) => {
      const { body, sent } = await request.read();
      const { owner } = request.caller;
      const {
        format,
        reason,
        notes,
        conversations,
        scenarios: read,
      } = await readFile(body, (file) => readScenarioFile({ ...file, redact }, owner));
      const scenarios = withoutRecording(read);
      const recorded = body.review && !body.dry_run ? read.filter(isRecorded) : [];
      const models = new Set(conversations?.flatMap(({ taken, models: used }) => (taken ? used : [])));
      const review_run_id =
        recorded.length > 0
          ? await storeRecording(reviewRequest(recorded, [...models]), request, dependencies)
          : undefined;
      const kept = body.dry_run || scenarios.length === 0 ? [] : await library.keep(scenarios);
      return request.context.json({
        format,
        reason,
        scenarios,
        notes: notes.map((note) => ({ ...note, message: note.message.replace(...codeOverHttp) })),
        kept,
        changes: body.dry_run ? await library.preview(scenarios) : undefined,
        review_run_id,
        conversations: conversations?.slice(0, mostConversations),
        warnings: request.unknownFields(sent),
      });
    };
  }),

  defineRoute(removeDemoScenarios, ({ library }: EvaluationDependencies) => async ({ context }) => {
    await library.removeDemo();
    return context.body(null, 204);
  }),

  defineRoute(
    getScenario,
    ({ library }: EvaluationDependencies) =>
      async ({ context, params, query }) =>
        context.json(holdAnswer(context, await library.get(params.scenario_id, query.version))),
  ),

  defineRoute(
    listScenarioVersions,
    ({ library }: EvaluationDependencies) =>
      async ({ context, params }) =>
        context.json({ versions: await library.versions(params.scenario_id) }),
  ),

  defineRoute(removeScenario, ({ library }: EvaluationDependencies) => async ({ context, params }) => {
    await library.remove(params.scenario_id);
    return context.body(null, 204);
  }),
];

/** Stores a run of recorded replies and waits for its end, which no model delays. */
async function storeRecording(
  recording: object,
  { caller, signal }: Pick<RouteRequest<typeof importScenarios>, "caller" | "signal">,
  dependencies: EvaluationDependencies,
): Promise<string> {
  const { run } = await createRunFromRequest(recording, dependencies, { owner: caller.owner });
  await dependencies.runs.wait(run.id, signal);
  return run.id;
}

/** More rows would not be looked at one by one. */
const mostConversations = 1_000;

/** Code is never taken from a request, so the note names the way that takes it. */
const codeOverHttp = ["imported only when allowed", "imported only by `rehearsal import --allow-code`"] as const;

async function readFile(
  { text, name, format, mapping, expect_recorded, world, traces, review }: z.infer<typeof ImportRequest>,
  readScenarioFile: ReadScenarioFile,
): Promise<ImportedFile> {
  const answer = await readScenarioFile({
    text,
    format,
    expectsRecorded: expect_recorded,
    makesWorlds: world,
    traces,
    ...(review && { tags: [reviewTag], keepsRecording: true }),
    ...(name !== undefined && { name }),
    ...(mapping !== undefined && { mapping: mappingOf(mapping) }),
  });
  if ("problem" in answer) throw invalidField("/text", answer.problem, text.slice(0, 40));
  return answer.result;
}

function mappingOf(text: string): ReturnType<typeof parseColumnMapping> {
  try {
    return parseColumnMapping(text);
  } catch (error) {
    if (error instanceof FormatError) throw invalidField("/mapping", error.message, text.slice(0, 40));
    throw error;
  }
}

function invalidField(pointer: string, message: string, received: string): ServiceError {
  return new ServiceError("validation_failed", `${pointer} ${message}`, {
    errors: [{ pointer, code: "invalid", message, received }],
  });
}

async function exportLibrary(
  { context, caller, signal }: RouteRequest<typeof listOrExport>,
  format: string,
  { library, writeLibraryFile }: { library: ScenarioLibrary; writeLibraryFile: WriteLibraryFile },
): Promise<Response> {
  const writer = scenarioFormats.find(({ id }) => id === format);
  if (!writer?.write) throw invalidField("/format", "cannot be written", format);
  const written = await writeLibraryFile({ format, scenarios: library.all(), owner: caller.owner, signal });
  if ("problem" in written) throw invalidField("/format", written.problem, format);
  const [extension = ""] = writer.extensions;
  return context.body(
    holdAnswer(context, written.text),
    200,
    compact({
      "content-type": mediaTypes[extension] ?? "text/plain; charset=utf-8",
      "content-disposition": `attachment; filename="scenarios.${extension}"`,
      "rehearsal-export-notes": written.notes ?? undefined,
    }),
  );
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  jsonl: "application/x-ndjson",
  yaml: "application/yaml",
  csv: "text/csv; charset=utf-8",
};
