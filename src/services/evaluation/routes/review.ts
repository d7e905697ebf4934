import { Hono, type Context } from "hono";
import { runFileName } from "../../../base/file-name.ts";
import {
  AgreementQuery,
  ReviewQuery,
  RunAuditRequest,
  VerdictsQuery,
  VerdictsRequest,
} from "../../../contract/schemas/judging/human-verdict.ts";
import type { RunRecord } from "../../../contract/ports/store.ts";
import { writeVerdictFile } from "../../../formats/verdict-file.ts";
import { invalidFieldsError } from "../../../runs/plan/fields-error.ts";
import { toRun } from "../../../runs/results/to-run.ts";
import { requireOwnName, type VerdictAuthor } from "../../../runs/review/store-verdicts.ts";
import { hasScope } from "../../http/auth/auth.ts";
import { readJson, readOptionalJson } from "../../http/body/read-json.ts";
import { ownerOf, type ShellEnvironment } from "../../http/shell-environment.ts";
import { unknownFieldWarnings } from "../../http/body/unknown-fields.ts";
import { validate, validateQuery } from "../../http/body/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";

/** A key stands for one person, unless it may adjudicate. */
function authorOf(context: Context<ShellEnvironment>): VerdictAuthor {
  const caller = context.get("caller");
  return { name: caller.rater, isBound: caller.key !== undefined && !hasScope(caller, "verdicts:adjudicate") };
}

/** Routes for people who judge replies: verdicts, the review queue, agreement and corrected scores. */
export function reviewRoutes({ runs, bodyLimits, checkEndpoint }: EvaluationDependencies): Hono<ShellEnvironment> {
  const runOf = (context: Context<ShellEnvironment>): Promise<RunRecord> =>
    runs.get(context.req.param("run_id") ?? "", ownerOf(context));

  return new Hono<ShellEnvironment>()
    .get("/runs/:run_id/verdicts", async (context) => {
      const { format, ...filter } = validateQuery(VerdictsQuery, context.req.queries());
      const run = await runOf(context);
      const verdicts = await runs.reviews.list(run, filter);
      if (format === "json") return context.json({ verdicts });
      return context.body(writeVerdictFile(verdicts, format), 200, {
        "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "content-disposition": `attachment; filename="${runFileName(toRun(run))}-verdicts.${format}"`,
      });
    })
    .post("/runs/:run_id/verdicts", async (context) => {
      const body = await readJson(context, bodyLimits);
      const request = validate(VerdictsRequest, body);
      const stored = await runs.reviews.store(await runOf(context), { request, author: authorOf(context) });
      const unknown = unknownFieldWarnings(VerdictsRequest, body).warnings ?? [];
      const warnings = [...(stored.warnings ?? []), ...unknown];
      return context.json({ ...stored, ...(warnings.length > 0 && { warnings }) });
    })
    .get("/runs/:run_id/review", async (context) => {
      const query = validateQuery(ReviewQuery, context.req.queries());
      const author = authorOf(context);
      requireOwnName(author, query.rater);
      const rater = query.rater ?? author.name;
      const run = await runOf(context);
      if (rater === undefined)
        throw invalidFieldsError([
          {
            pointer: "/rater",
            code: "invalid_value",
            message: "is missing: name the person who will judge the replies",
          },
        ]);
      const queue = await runs.reviews.queue(run, { ...query, rater });
      return context.json({ ...queue, ...(author.isBound && { rater_fixed: true }) });
    })
    .get("/runs/:run_id/agreement", async (context) => {
      const query = validateQuery(AgreementQuery, context.req.queries());
      return context.json(await runs.reviews.agreement(await runOf(context), query));
    })
    .get("/runs/:run_id/corrections", async (context) =>
      context.json(await runs.reviews.corrections(await runOf(context))),
    )
    .post("/runs/:run_id/audit", async (context) => {
      const body = await readOptionalJson(context, bodyLimits);
      const request = validate(RunAuditRequest, body === undefined ? {} : body);
      const audit = await runs.reviews.auditRequest(await runOf(context), request);
      const { endpoint } = audit.judge;
      if (endpoint !== undefined) checkEndpoint({ pointer: "/judge/endpoint", endpoint });
      const { signal } = context.req.raw;
      return context.json(await runs.auditJudge(audit, { owner: ownerOf(context), signal }));
    });
}
