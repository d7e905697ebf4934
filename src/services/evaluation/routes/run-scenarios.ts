import { Hono } from "hono";
import { RunScenariosQuery } from "../../../contract/schemas/run-scenarios.ts";
import { requireScope } from "../../http/auth.ts";
import { ownerOf } from "../../http/owner.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validateQuery } from "../../http/validate.ts";
import type { EvaluationDependencies } from "../dependencies.ts";

/** GET /runs/{run_id}/scenarios: the rows of a run, page by page, without a turn being read. */
export function runScenariosRoute({ runs }: EvaluationDependencies): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>().get("/runs/:run_id/scenarios", requireScope("runs:read"), async (context) => {
    const query = validateQuery(RunScenariosQuery, context.req.queries());
    const run = await runs.get(context.req.param("run_id"), ownerOf(context));
    return context.json(await runs.scenarios(run, query));
  });
}
