import { Hono } from "hono";
import { CompareQuery, NoiseQuery, RankQuery } from "../../../contract/operations/analysis.ts";
import { PairwiseRequest } from "../../../contract/schemas/comparison.ts";
import { parseMargins } from "../../../contract/schemas/margins.ts";
import { ScoreAgreementRequest } from "../../../contract/schemas/judging/score-agreement.ts";
import { RescoreRequest } from "../../../contract/schemas/evaluation-request.ts";
import { JudgeAuditRequest } from "../../../contract/schemas/judging/judge-audit.ts";
import { toRun } from "../../../runs/results/to-run.ts";
import { checkScope } from "../../http/auth/auth.ts";
import { readJson, readOptionalJson } from "../../http/body/read-json.ts";
import { ownerOf, type ShellEnvironment } from "../../http/shell-environment.ts";
import { unknownFieldWarnings, unknownFields } from "../../http/body/unknown-fields.ts";
import { validate, validateQuery } from "../../http/body/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { planRequest } from "../plan-request.ts";

/** Routes that compare, rank, estimate and rescore runs, and audit judges. */
export function analysisRoutes(dependencies: EvaluationDependencies): Hono<ShellEnvironment> {
  const { runs, bodyLimits, planLimits, helpers, checkEndpoint } = dependencies;

  function checkJudge(endpoint: string | undefined): void {
    if (endpoint !== undefined) checkEndpoint({ pointer: "/judge/endpoint", endpoint });
  }

  return new Hono<ShellEnvironment>()
    .get("/compare", async (context) => {
      const { baseline, candidate, margin } = validateQuery(CompareQuery, context.req.queries());
      const margins = margin === undefined ? undefined : parseMargins(margin);
      // The query was refused if it cannot be read.
      const read = typeof margins === "string" ? undefined : margins;
      return context.json(await runs.compare(baseline, candidate, ownerOf(context), read));
    })
    .post("/compare", async (context) => {
      const body = await readJson(context, bodyLimits);
      const request = validate(PairwiseRequest, body);
      checkJudge(request.judge?.endpoint);
      const { signal } = context.req.raw;
      const comparison = await runs.judgePairs(request, { owner: ownerOf(context), signal });
      return context.json({ ...comparison, ...unknownFieldWarnings(PairwiseRequest, body) });
    })
    .get("/rank", async (context) => {
      const { runs: ids, score } = validateQuery(RankQuery, context.req.queries());
      return context.json(await runs.rank({ ids: listOf(ids), score }, ownerOf(context)));
    })
    .get("/noise", async (context) => {
      const ids = listOf(validateQuery(NoiseQuery, context.req.queries()).runs);
      return context.json(await runs.noise(ids, ownerOf(context)));
    })
    .post("/estimate", async (context) => {
      const body = await readJson(context, bodyLimits);
      const owner = ownerOf(context);
      const { plan, warnings } = await planRequest(body, dependencies, owner);
      return context.json(await runs.estimate(plan, { warnings, owner }));
    })
    .post("/judges/audit", async (context) => {
      const body = await readJson(context, bodyLimits);
      const request = validate(JudgeAuditRequest, body);
      checkJudge(request.judge.endpoint);
      const { signal } = context.req.raw;
      const audit = await runs.auditJudge(request, { owner: ownerOf(context), signal });
      return context.json({ ...audit, ...unknownFieldWarnings(JudgeAuditRequest, body) });
    })
    .get("/runs/:run_id/sequence", async (context) =>
      context.json(await runs.sequence(context.req.param("run_id"), ownerOf(context))),
    )
    .get("/runs/:run_id/score-agreement", async (context) =>
      context.json(await runs.scoreAgreement(context.req.param("run_id"), ownerOf(context))),
    )
    .post("/runs/:run_id/score-agreement", async (context) => {
      const { verdicts } = validate(ScoreAgreementRequest, await readJson(context, bodyLimits));
      return context.json(await runs.scoreAgreement(context.req.param("run_id"), ownerOf(context), verdicts));
    })
    .post("/runs/:run_id/rescore", async (context) => {
      const body = await readOptionalJson(context, bodyLimits);
      const request = validate(RescoreRequest, body === undefined ? {} : body);
      const { judge, labeller, ask_models } = request;
      if (judge || labeller || ask_models) checkScope(context.get("caller"), "evaluate");
      // Rescoring continues after the client disconnects, unless it asks models.
      const run = await runs.rescore(context.req.param("run_id"), ownerOf(context), {
        askModels: ask_models,
        replace: { request, limits: planLimits, helpers },
        ...(ask_models && { signal: context.req.raw.signal }),
      });
      const warnings = [...unknownFields(RescoreRequest, body), ...run.warnings];
      return context.json(toRun({ ...run, warnings }));
    });
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
