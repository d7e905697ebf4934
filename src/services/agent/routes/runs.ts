import { Hono, type Context } from "hono";
import type { AgentRunRecord } from "../../../contract/ports/agent-memory.ts";
import {
  AgentRunListQuery,
  ResumeRequest,
  summarizeRun,
  type AgentRunList,
} from "../../../contract/schemas/agent-run.ts";
import { ownerOf } from "../../http/shell-environment.ts";
import { prefersEvents } from "../../http/responses/event-stream.ts";
import { readJson } from "../../http/body/read-json.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate, validateQuery } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { runToScenario, toRunDetails } from "../runs/recorded-run.ts";
import { replayRun } from "../runs/replay-run.ts";
import { newTurn } from "../turns/idempotent-turns.ts";
import { unknownRun } from "../turns/resume-run.ts";
import { answerTurn } from "../wires/agent.ts";
import { clientSignal, readTurnHeaders } from "../wires/read-turn.ts";

/** Recorded runs: list, read, cancel, replay offline, turn into scenarios, and resume after approval. */
export function agentRunRoutes(dependencies: AgentDependencies, { runLog, turns }: AgentParts): Hono<ShellEnvironment> {
  const { tools, limits, price, library, runner, bodyLimits, log, patienceMs } = dependencies;

  async function find(context: Context<ShellEnvironment>, id: string): Promise<AgentRunRecord> {
    return holdAnswer(context, (await runLog.get(id, ownerOf(context))) ?? unknownRun(id));
  }

  return new Hono<ShellEnvironment>()
    .get("/agent/runs", async (context) => {
      const query = validateQuery(AgentRunListQuery, context.req.queries());
      const page = await runLog.list({ ...query, owner: ownerOf(context) });
      const body: AgentRunList = { runs: [...page.runs], next_cursor: page.next_cursor };
      return context.json(body);
    })
    .get("/agent/runs/:run_id", async (context) => {
      return context.json(toRunDetails(await find(context, context.req.param("run_id"))));
    })
    .post("/agent/runs/:run_id/resume", async (context) => {
      const runId = context.req.param("run_id");
      const headers = readTurnHeaders(context, dependencies);
      const { decisions } = validate(ResumeRequest, await readJson(context, bodyLimits));
      const events = prefersEvents(context.req.header("accept"));
      const signal = clientSignal(context, headers);
      const resumed = turns.resume({ runId, decisions, headers, stream: events, signal });
      return answerTurn(context, resumed.then(newTurn), { signal, events, log, patienceMs });
    })
    .post("/agent/runs/:run_id/cancel", async (context) => {
      const runId = context.req.param("run_id");
      await turns.cancel(runId, ownerOf(context));
      const { id, entries } = await find(context, runId);
      return context.json(summarizeRun(id, entries), 202);
    })
    .post("/agent/runs/:run_id/replay", async (context) => {
      const record = await find(context, context.req.param("run_id"));
      const { signal } = context.req.raw;
      const isPlugIn = runner !== undefined;
      return context.json(await replayRun(record, { tools: tools(), limits, price, isPlugIn, signal }));
    })
    .post("/agent/runs/:run_id/scenario", async (context) => {
      const scenario = runToScenario(await find(context, context.req.param("run_id")));
      const [kept] = await library.keep([scenario]);
      return context.json(scenario, 200, kept && { "x-scenario-version": kept.version });
    });
}
