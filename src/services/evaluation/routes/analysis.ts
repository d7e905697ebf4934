import { Hono } from "hono";
import { CompareQuery, NoiseQuery, RankQuery } from "../../../contract/operations/analysis.ts";
import { EvaluationRequest, RescoreRequest } from "../../../contract/schemas/evaluation-request.ts";
import { JudgeAuditRequest } from "../../../contract/schemas/judge-audit.ts";
import { PairwiseRequest } from "../../../contract/schemas/comparison.ts";
import type { PlannedRun } from "../../../runs/placed-checks.ts";
import { planEndpoints } from "../../../runs/plan-endpoints.ts";
import { planRun } from "../../../runs/plan-run.ts";
import { toRun } from "../../../runs/to-run.ts";
import { checkScope, requireScope } from "../../http/auth.ts";
import { ownerOf } from "../../http/owner.ts";
import { readJson, readOptionalJson } from "../../http/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { namingUnknown, unknownFields } from "../../http/unknown-fields.ts";
import { validate, validateQuery } from "../../http/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";

/** Comparing, estimating, rescoring runs, and auditing judges. */
export function analysisRoutes(dependencies: EvaluationDependencies): Hono<ShellEnvironment> {
  const { runs, bodyLimits, planLimits, helpers, checkEndpoint } = dependencies;

  function checkJudge(endpoint: string | undefined): void {
    if (endpoint !== undefined) checkEndpoint({ pointer: "/judge/endpoint", endpoint });
  }

  return new Hono<ShellEnvironment>()
    .get("/compare", requireScope("runs:read"), async (context) => {
      const { baseline, candidate } = validateQuery(CompareQuery, context.req.queries());
      return context.json(await runs.compare(baseline, candidate, ownerOf(context)));
    })
    .post("/compare", requireScope("evaluate"), async (context) => {
      const body = await readJson(context, bodyLimits);
      const request = validate(PairwiseRequest, body);
      checkJudge(request.judge?.endpoint);
      const { signal } = context.req.raw;
      const comparison = await runs.judgePairs(request, { owner: ownerOf(context), signal });
      return context.json({ ...comparison, ...namingUnknown(PairwiseRequest, body) });
    })
    .get("/rank", requireScope("runs:read"), async (context) => {
      const { runs: ids, score } = validateQuery(RankQuery, context.req.queries());
      return context.json(await runs.rank({ ids: listOf(ids), score }, ownerOf(context)));
    })
    .get("/noise", requireScope("runs:read"), async (context) => {
      const ids = listOf(validateQuery(NoiseQuery, context.req.queries()).runs);
      return context.json(await runs.noise(ids, ownerOf(context)));
    })
    .post("/estimate", requireScope("evaluate"), async (context) => {
      const body = await readJson(context, bodyLimits);
      const warnings = unknownFields(EvaluationRequest, body);
      return context.json(await runs.estimate(toPlan(body, dependencies), { warnings, owner: ownerOf(context) }));
    })
    .post("/judges/audit", requireScope("evaluate"), async (context) => {
      const body = await readJson(context, bodyLimits);
      const request = validate(JudgeAuditRequest, body);
      checkJudge(request.judge.endpoint);
      const { signal } = context.req.raw;
      const audit = await runs.auditJudge(request, { owner: ownerOf(context), signal });
      return context.json({ ...audit, ...namingUnknown(JudgeAuditRequest, body) });
    })
    .post("/runs/:run_id/rescore", requireScope("runs:write"), async (context) => {
      const body = await readOptionalJson(context, bodyLimits);
      const request = validate(RescoreRequest, body === undefined ? {} : body);
      const { judge, labeller, ask_models } = request;
      if (judge || labeller || ask_models) checkScope(context.get("caller"), "evaluate");
      // Once begun it is brought to its end, whoever waits for it; only models are not asked for nobody.
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

/** The body of POST /evaluate, checked the same way, but nothing is stored. */
function toPlan(
  body: unknown,
  { planLimits, helpers, checkEndpoint }: Pick<EvaluationDependencies, "planLimits" | "helpers" | "checkEndpoint">,
): PlannedRun {
  const plan = planRun(validate(EvaluationRequest, body), planLimits, helpers);
  for (const endpoint of planEndpoints(plan)) checkEndpoint(endpoint);
  return plan;
}
