import { runFileName } from "../../../base/file-name.ts";
import {
  auditRunJudge,
  correctScores,
  listVerdicts,
  measureAgreement,
  reviewRun,
  storeVerdicts,
} from "../../../contract/operations/analysis.ts";
import { writeVerdictFile } from "../../../formats/verdict-file.ts";
import { invalidFieldsError } from "../../../runs/plan/fields-error.ts";
import { toRun } from "../../../runs/results/to-run.ts";
import { requireOwnName, type VerdictAuthor } from "../../../runs/review/store-verdicts.ts";
import { hasScope } from "../../http/auth/auth.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import type { Caller } from "../../http/environment/shell-environment.ts";
import type { EvaluationDependencies } from "../dependencies.ts";

/** A key stands for one person, unless it may adjudicate. */
function authorOf(caller: Caller): VerdictAuthor {
  return { name: caller.rater, isBound: caller.key !== undefined && !hasScope(caller, "verdicts:adjudicate") };
}

/** Routes for people who judge replies: verdicts, the review queue, agreement and corrected scores. */
export const reviewRoutes: readonly Route<EvaluationDependencies>[] = [
  defineRoute(listVerdicts, ({ runs }: EvaluationDependencies) => async ({ context, params, query, caller }) => {
    const { format, ...filter } = query;
    const run = await runs.get(params.run_id, caller.owner);
    const verdicts = await runs.reviews.list(run, filter);
    if (format === "json") return context.json({ verdicts });
    return context.body(writeVerdictFile(verdicts, format), 200, {
      "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
      "content-disposition": `attachment; filename="${runFileName(toRun(run))}-verdicts.${format}"`,
    });
  }),

  defineRoute(storeVerdicts, ({ runs }: EvaluationDependencies) => async (request) => {
    const { body, sent } = await request.read();
    const run = await runs.get(request.params.run_id, request.caller.owner);
    const stored = await runs.reviews.store(run, { request: body, author: authorOf(request.caller) });
    const warnings = [...(stored.warnings ?? []), ...(request.unknownFields(sent) ?? [])];
    return request.context.json({ ...stored, warnings: warnings.length > 0 ? warnings : undefined });
  }),

  defineRoute(reviewRun, ({ runs }: EvaluationDependencies) => async ({ context, params, query, caller }) => {
    const author = authorOf(caller);
    requireOwnName(author, query.rater);
    const rater = query.rater ?? author.name;
    const run = await runs.get(params.run_id, caller.owner);
    if (rater === undefined)
      throw invalidFieldsError([
        {
          pointer: "/rater",
          code: "invalid_value",
          message: "is missing: name the person who will judge the replies",
        },
      ]);
    const queue = await runs.reviews.queue(run, { ...query, rater });
    return context.json({ ...queue, rater_fixed: author.isBound ? true : undefined });
  }),

  defineRoute(
    measureAgreement,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, query, caller }) =>
        context.json(await runs.reviews.agreement(await runs.get(params.run_id, caller.owner), query)),
  ),

  defineRoute(
    correctScores,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, caller }) =>
        context.json(await runs.reviews.corrections(await runs.get(params.run_id, caller.owner))),
  ),

  defineRoute(auditRunJudge, ({ runs, checkEndpoint }: EvaluationDependencies) => async (request) => {
    const body = await request.body();
    const { owner } = request.caller;
    const audit = await runs.reviews.auditRequest(await runs.get(request.params.run_id, owner), body);
    const { endpoint } = audit.judge;
    if (endpoint !== undefined) checkEndpoint({ pointer: "/judge/endpoint", endpoint });
    return request.context.json(await runs.auditJudge(audit, { owner, signal: request.signal }));
  }),
];
