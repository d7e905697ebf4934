import { Hono } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import { ExportQuery } from "../../../contract/operations/analysis.ts";
import type { RunRecord } from "../../../contract/ports/store.ts";
import { resultFormats, type ResultFormat } from "../../../formats/formats.ts";
import { refuseUnfinished } from "../../../runs/find-run.ts";
import type { ReadAttempt } from "../../../runs/read-results.ts";
import type { Runs } from "../../../runs/runs.ts";
import { toRun } from "../../../runs/to-run.ts";
import { writeReport } from "../../../runs/write-report.ts";
import { requireScope } from "../../http/auth.ts";
import { ownerOf } from "../../http/owner.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validateQuery } from "../../http/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { streamText } from "../stream-text.ts";

/** GET /runs/{run_id}/export: a run as a file, written as it is read. */
export function runExportRoute({ runs, log, reportTemplate }: EvaluationDependencies): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>().get("/runs/:run_id/export", requireScope("runs:read"), async (context) => {
    const { format } = validateQuery(ExportQuery, context.req.queries());
    const run = await runs.get(context.req.param("run_id"), ownerOf(context));
    // A file looks final, whatever it says inside.
    refuseUnfinished(run, "it cannot be exported yet");
    const file = await writerOf(format, { run, runs, reportTemplate });
    // A report is a page of its own: it may run its own script, also in a worker, and talk to nobody.
    const policy =
      "default-src 'none'; script-src 'unsafe-inline'; worker-src blob:; style-src 'unsafe-inline'; img-src data:";
    const headers = {
      "content-type": file.contentType,
      "content-disposition": `attachment; filename="${run.id}.${file.extension}"`,
      ...(format === "html" && { "content-security-policy": policy }),
    };
    return streamText(context, file.pieces, { log, headers });
  });
}

interface ExportFile {
  readonly contentType: string;
  readonly extension: string;
  readonly pieces: AsyncIterable<string>;
}

async function writerOf(
  format: string,
  { run, runs, reportTemplate }: { run: RunRecord; runs: Runs; reportTemplate: () => Promise<string> },
): Promise<ExportFile> {
  const results = runs.results(run);
  if (format === "json") return { contentType: "application/json", extension: "json", pieces: results };
  if (format === "html") {
    const pieces = writeReport(await reportTemplate(), { run: toRun(run), results });
    return { contentType: "text/html; charset=utf-8", extension: "html", pieces };
  }
  const found: ResultFormat | undefined = resultFormats.find(({ id }) => id === format);
  if (!found) throw new ServiceError("validation_failed", `The format ${format} cannot be written.`);
  return { ...found, pieces: writeResults(found, { run, runs }) };
}

async function* writeResults(
  { create }: ResultFormat,
  { run, runs }: { run: RunRecord; runs: Runs },
): AsyncGenerator<string> {
  const writer = create();
  const { message, run_id, test_name, endpoint, model_id, state, demo, summary } = toRun(run);
  const { usage, ...figures } = summary ?? {};
  yield writer.start({
    message,
    run_id,
    test_name,
    endpoint,
    model_id,
    state,
    demo,
    history: run.settings.history ?? "generated",
    ...(run.settings.system_prompt !== undefined && { system_prompt: run.settings.system_prompt }),
    ...(summary && usage && { summary: figures as Omit<typeof summary, "usage">, usage }),
  });
  if (writer.attempt) {
    const look = writer.look && (({ scenario, attempt }: ReadAttempt) => writer.look?.(scenario, attempt));
    for await (const { scenario, attempt } of runs.attemptResults(run, { look }))
      yield* writer.attempt(scenario, attempt);
  } else {
    const { shortens: shortened } = writer;
    for await (const result of runs.scenarioResults(run, { shortened })) yield writer.scenario(result);
  }
  yield writer.finish();
}
