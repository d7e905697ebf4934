import { Hono } from "hono";
import { RunListQuery } from "../../../contract/schemas/run.ts";
import { ResultsQuery } from "../../../contract/schemas/run-scenarios.ts";
import { toRun, toRunList } from "../../../runs/to-run.ts";
import { requireScope } from "../../http/auth.ts";
import { holdAnswer } from "../../http/request-memory.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validateQuery } from "../../http/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { streamJson } from "../stream-text.ts";
import { ownerOf } from "../../http/owner.ts";

/** Reading, cancelling and deleting runs. */
export function runRoutes({ runs, log, ownAgent = () => null }: EvaluationDependencies): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/runs", requireScope("runs:read"), async (context) => {
      const { search_model_ids: ids, ...filter } = validateQuery(RunListQuery, context.req.queries());
      const page = await runs.list({ ...filter, search_model_ids: ids?.split(","), owner: ownerOf(context) });
      return context.json(toRunList(page));
    })
    .get("/runs/:run_id", requireScope("runs:read"), async (context) => {
      return context.json(toRun(await runs.get(context.req.param("run_id"), ownerOf(context))));
    })
    .get("/runs/:run_id/request", requireScope("runs:read"), async (context) => {
      const run = await runs.get(context.req.param("run_id"), ownerOf(context));
      const request = await runs.request(run);
      // The agent of a command went with it. The one that is served here takes its place.
      const endpoint = run.tied ? ownAgent() : null;
      return context.json(holdAnswer(context, endpoint === null ? request : { ...request, endpoint }));
    })
    .get("/runs/:run_id/results", requireScope("runs:read"), async (context) => {
      const { scenario_id } = validateQuery(ResultsQuery, context.req.queries());
      const run = await runs.get(context.req.param("run_id"), ownerOf(context));
      return streamJson(context, runs.results(run, { scenarioId: scenario_id }), { log });
    })
    .post("/runs/:run_id/cancel", requireScope("runs:write"), async (context) => {
      return context.json(toRun(await runs.cancel(context.req.param("run_id"), ownerOf(context))), 202);
    })
    .delete("/runs/:run_id", requireScope("runs:write"), async (context) => {
      await runs.remove(context.req.param("run_id"), ownerOf(context), context.req.raw.signal);
      return context.body(null, 204);
    });
}
