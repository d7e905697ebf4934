import { compact } from "../../../base/compact.ts";
import {
  auditJudge,
  compareRuns,
  correlateVerdicts,
  estimateRun,
  getExperiment,
  getRunSequence,
  getScoreAgreement,
  judgePairs,
  measureNoise,
  rankRuns,
  rescoreRun,
} from "../../../contract/operations/analysis.ts";
import { parseMargins } from "../../../contract/schemas/margins.ts";
import { toRun } from "../../../runs/results/to-run.ts";
import { checkScope } from "../../http/auth/auth.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { planRequest } from "./plan-request.ts";

/** Routes that compare, rank, estimate and rescore runs, and audit judges. */
export const analysisRoutes: readonly Route<EvaluationDependencies>[] = [
  defineRoute(compareRuns, ({ runs }: EvaluationDependencies) => async ({ context, query, caller }) => {
    const { baseline, candidate, margin } = query;
    const margins = margin === undefined ? undefined : parseMargins(margin);
    // The query was refused if it cannot be read.
    const read = typeof margins === "string" ? undefined : margins;
    return context.json(await runs.compare(baseline, candidate, caller.owner, read));
  }),

  defineRoute(judgePairs, ({ runs, checkEndpoint }: EvaluationDependencies) => async (request) => {
    const { body, sent } = await request.read();
    checkJudge(checkEndpoint, body.judge);
    const { owner } = request.caller;
    const comparison = await runs.judgePairs(body, { owner, signal: request.signal });
    return request.context.json({ ...comparison, warnings: request.unknownFields(sent) });
  }),

  defineRoute(
    rankRuns,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, query, caller }) =>
        context.json(await runs.rank({ ids: listOf(query.runs), score: query.score }, caller.owner)),
  ),

  defineRoute(
    measureNoise,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, query, caller }) =>
        context.json(await runs.noise(listOf(query.runs), caller.owner)),
  ),

  defineRoute(estimateRun, (dependencies: EvaluationDependencies) => async (request) => {
    const { owner } = request.caller;
    const { planned, warnings } = await planRequest(await request.sent(), dependencies, owner);
    return request.context.json(await dependencies.runs.estimatePlanned(planned, { warnings, owner }));
  }),

  defineRoute(auditJudge, ({ runs, checkEndpoint }: EvaluationDependencies) => async (request) => {
    const { body, sent } = await request.read();
    checkJudge(checkEndpoint, body.judge);
    const { owner } = request.caller;
    const audit = await runs.auditJudge(body, { owner, signal: request.signal });
    return request.context.json({ ...audit, warnings: request.unknownFields(sent) });
  }),

  defineRoute(
    getExperiment,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, query, caller }) =>
        context.json(await runs.experiment(params.experiment_id, caller.owner, query)),
  ),

  defineRoute(
    getRunSequence,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, caller }) =>
        context.json(await runs.sequence(params.run_id, caller.owner)),
  ),

  defineRoute(
    getScoreAgreement,
    ({ runs }: EvaluationDependencies) =>
      async ({ context, params, caller }) =>
        context.json(await runs.scoreAgreement(params.run_id, caller.owner)),
  ),

  defineRoute(correlateVerdicts, ({ runs }: EvaluationDependencies) => async (request) => {
    const { verdicts } = await request.body();
    return request.context.json(await runs.scoreAgreement(request.params.run_id, request.caller.owner, verdicts));
  }),

  defineRoute(rescoreRun, ({ runs, planLimits, helpers }: EvaluationDependencies) => async (request) => {
    const { body, sent } = await request.read();
    const { judge, labeller, ask_models: askModels } = body;
    if (judge || labeller || askModels) checkScope(request.caller, "evaluate");
    const run = await runs.rescore(
      request.params.run_id,
      request.caller.owner,
      compact({
        askModels,
        replace: { request: body, limits: planLimits, helpers },
        // Rescoring continues after the client disconnects, unless it asks models.
        signal: askModels ? request.signal : undefined,
      }),
    );
    const warnings = [...(request.unknownFields(sent) ?? []), ...run.warnings];
    return request.context.json(toRun({ ...run, warnings }));
  }),
];

function checkJudge(
  checkEndpoint: EvaluationDependencies["checkEndpoint"],
  judge: { readonly endpoint?: string | undefined } | undefined,
): void {
  if (judge?.endpoint !== undefined) checkEndpoint({ pointer: "/judge/endpoint", endpoint: judge.endpoint });
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
