import { Hono, type Context } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import { VersionQuery } from "../../../contract/operations/library.ts";
import { ImportRequest, LibraryQuery, ScenarioBody } from "../../../contract/schemas/library.ts";
import { scenarioFormats } from "../../../formats/formats.ts";
import { isRecorded, reviewRequest, reviewTag, withoutRecording } from "../../../formats/review-request.ts";
import { FormatError, type ImportFormat } from "../../../formats/scenario-file.ts";
import { parseColumnMapping } from "../../../formats/documents/columns.ts";
import { scenarioProblems } from "../../../runs/plan/batch-problems.ts";
import { refuseInvalid } from "../../../runs/plan/fields-error.ts";
import type { ScenarioLibrary } from "../../../runs/scenario-library.ts";
import { readJson } from "../../http/body/read-json.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import { ownerOf, type ShellEnvironment } from "../../http/shell-environment.ts";
import { unknownFieldWarnings } from "../../http/body/unknown-fields.ts";
import { validate, validateQuery } from "../../http/body/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { createRunFromRequest } from "../plan-request.ts";
import { createScenarioFileReader, type ReadScenarioFile } from "../files/read-scenario-file.ts";
import type { ImportedFile } from "../files/scenario-file-thread.ts";
import { createLibraryWriter, type WriteLibraryFile } from "../files/write-library-file.ts";

/** The scenario library: keep, list, read, import, export and remove scenarios. */
export function scenarioRoutes({
  library,
  bodyLimits,
  planLimits,
  helpers,
  redact,
  runs,
  checkEndpoint,
}: Pick<
  EvaluationDependencies,
  "library" | "redact" | "bodyLimits" | "planLimits" | "helpers" | "runs" | "checkEndpoint"
>): Hono<ShellEnvironment> {
  const rules = { limits: planLimits, helpers };
  const readScenarioFile = createScenarioFileReader(rules);
  const writeLibraryFile = createLibraryWriter();
  /** Stores a run of recorded replies and waits for its end, which no model delays. */
  async function storeRecording(request: object, context: Context<ShellEnvironment>): Promise<string> {
    const planners = { runs, planLimits, helpers, checkEndpoint };
    const { run } = await createRunFromRequest(request, planners, { owner: ownerOf(context) });
    await runs.wait(run.id, context.req.raw.signal);
    return run.id;
  }
  return new Hono<ShellEnvironment>()
    .get("/scenarios", async (context) => {
      const { format, ...filter } = validateQuery(LibraryQuery, context.req.queries());
      if (format && filter.cursor !== undefined)
        throw invalidField("/cursor", "cannot be combined with format: a file has the whole library", filter.cursor);
      if (format) return exportLibrary(context, format, { library, writeLibraryFile });
      return context.json(await library.list(filter));
    })
    .post("/scenarios", async (context) => {
      const sent = await readJson(context, bodyLimits);
      const body = validate(ScenarioBody, sent);
      const scenarios = [body].flat();
      const problems = scenarioProblems(scenarios, rules).flatMap((ofScenario, index) =>
        ofScenario.map((problem) => ({
          ...problem,
          pointer: Array.isArray(body) ? `/${index}${problem.pointer}` : problem.pointer,
        })),
      );
      refuseInvalid(problems);
      return context.json({ scenarios: await library.keep(scenarios), ...unknownFieldWarnings(ScenarioBody, sent) });
    })
    .post("/scenarios/import", async (context) => {
      const body = await readJson(context, bodyLimits);
      const request = validate(ImportRequest, body);
      const {
        format,
        reason,
        notes,
        conversations,
        scenarios: read,
      } = await readFile(request, (file) => readScenarioFile({ ...file, redact }, ownerOf(context)));
      const scenarios = withoutRecording(read);
      const recorded = request.review && !request.dry_run ? read.filter(isRecorded) : [];
      const models = new Set(conversations?.flatMap((conversation) => (conversation.taken ? conversation.models : [])));
      const review = recorded.length > 0 && {
        review_run_id: await storeRecording(reviewRequest(recorded, [...models]), context),
      };
      const kept = request.dry_run || scenarios.length === 0 ? [] : await library.keep(scenarios);
      return context.json({
        format,
        reason,
        scenarios,
        notes: notes.map((note) => ({ ...note, message: note.message.replace(...codeOverHttp) })),
        kept,
        ...(request.dry_run && { changes: await library.preview(scenarios) }),
        ...review,
        ...(conversations && { conversations: conversations.slice(0, mostConversations) }),
        ...unknownFieldWarnings(ImportRequest, body),
      });
    })
    .delete("/scenarios", async (context) => {
      await library.removeDemo();
      return context.body(null, 204);
    })
    .get("/scenarios/:scenario_id", async (context) => {
      const { version } = validateQuery(VersionQuery, context.req.queries());
      return context.json(holdAnswer(context, await library.get(context.req.param("scenario_id"), version)));
    })
    .get("/scenarios/:scenario_id/versions", async (context) =>
      context.json({ versions: await library.versions(context.req.param("scenario_id")) }),
    )
    .delete("/scenarios/:scenario_id", async (context) => {
      await library.remove(context.req.param("scenario_id"));
      return context.body(null, 204);
    });
}

/** More rows would not be looked at one by one. */
const mostConversations = 1_000;

/** Code is never taken from a request, so the note names the way that takes it. */
const codeOverHttp = ["imported only when allowed", "imported only by `rehearsal import --allow-code`"] as const;

async function readFile(
  { text, name, format, mapping, expect_recorded, world, traces, review }: ReturnType<typeof ImportRequest.parse>,
  readScenarioFile: ReadScenarioFile,
): Promise<ImportedFile> {
  const known = ["auto", ...scenarioFormats.filter(({ imports }) => imports).map(({ id }) => id)];
  if (!known.includes(format)) throw invalidField("/format", `must be one of ${known.join(", ")}`, format);
  const answer = await readScenarioFile({
    text,
    format: format as "auto" | ImportFormat,
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
  context: Context<ShellEnvironment>,
  format: string,
  { library, writeLibraryFile }: { library: ScenarioLibrary; writeLibraryFile: WriteLibraryFile },
): Promise<Response> {
  const writer = scenarioFormats.find(({ id }) => id === format);
  if (!writer || !("export" in writer) || !writer.export) throw invalidField("/format", "cannot be written", format);
  const { signal } = context.req.raw;
  const written = await writeLibraryFile({ format, scenarios: library.all(), owner: ownerOf(context), signal });
  if ("problem" in written) throw invalidField("/format", written.problem, format);
  const [extension] = writer.extensions;
  return context.body(holdAnswer(context, written.text), 200, {
    "content-type": mediaTypes[extension],
    "content-disposition": `attachment; filename="scenarios.${extension}"`,
    ...(written.notes !== null && { "rehearsal-export-notes": written.notes }),
  });
}

const mediaTypes = {
  json: "application/json",
  jsonl: "application/x-ndjson",
  yaml: "application/yaml",
  csv: "text/csv; charset=utf-8",
} as const;
