import { Hono, type Context } from "hono";
import type { AgentRunRecord } from "../../../contract/ports/agent-memory.ts";
import { AgentRunListQuery, type AgentRunList } from "../../../contract/schemas/agent-run.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import { ownerOf, type ShellEnvironment } from "../../http/shell-environment.ts";
import { validateQuery } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { replayRun } from "../runs/replay-run.ts";
import { runToScenario } from "../runs/run-to-scenario.ts";
import { toRunDetails } from "../runs/to-agent-run.ts";
import { unknownRun } from "../turns/resume-waiting-run.ts";

/** The memory of runs: reading them, running them again offline, making tests of them. */
export function agentRunRoutes(
  { tools, limits, price, library, runner }: AgentDependencies,
  { runLog }: AgentParts,
): Hono<ShellEnvironment> {
  async function find(context: Context<ShellEnvironment>, id: string): Promise<AgentRunRecord> {
    return holdAnswer(context, (await runLog.get(id, ownerOf(context))) ?? unknownRun(id));
  }

  return new Hono<ShellEnvironment>()
    .get("/agent/runs", requireScope("agent"), async (context) => {
      const query = validateQuery(AgentRunListQuery, context.req.queries());
      const page = await runLog.list({ ...query, owner: ownerOf(context) });
      const body: AgentRunList = { runs: [...page.runs], next_cursor: page.next_cursor };
      return context.json(body);
    })
    .get("/agent/runs/:run_id", requireScope("agent"), async (context) => {
      return context.json(toRunDetails(await find(context, context.req.param("run_id"))));
    })
    .post("/agent/runs/:run_id/replay", requireScope("agent"), async (context) => {
      const record = await find(context, context.req.param("run_id"));
      const { signal } = context.req.raw;
      const isPlugIn = runner !== undefined;
      return context.json(await replayRun(record, { tools: tools(), limits, price, isPlugIn, signal }));
    })
    .post("/agent/runs/:run_id/scenario", requireScope("runs:write"), async (context) => {
      const scenario = runToScenario(await find(context, context.req.param("run_id")));
      const [kept] = await library.keep([scenario]);
      return context.json(scenario, 200, kept && { "x-scenario-version": kept.version });
    });
}
