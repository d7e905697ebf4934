import {
  agentRunToScenario,
  cancelAgentRun,
  getAgentRun,
  listAgentRuns,
  replayAgentRun,
} from "../../../contract/operations/agent-memory.ts";
import { resumeAgentRun } from "../../../contract/operations/agent-turns.ts";
import type { AgentRunLog, AgentRunRecord } from "../../../contract/ports/agent-memory.ts";
import { summarizeRun, type AgentRunList } from "../../../contract/schemas/agent/agent-run.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import { prefersEvents } from "../../http/responses/event-stream.ts";
import { defineRoute, type Route, type RouteRequest } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { runToScenario, toRunDetails } from "../runs/recorded-run.ts";
import { replayRun } from "../runs/replay-run.ts";
import { newTurn } from "../turns/idempotent-turns.ts";
import { unknownRun } from "../turns/resume-run.ts";
import { answerTurn } from "../wires/agent.ts";
import { clientSignal, readTurnHeaders } from "../wires/read-turn.ts";

/** Recorded runs: resume after approval, list, read, cancel, replay offline, turn into scenarios. */
export const agentRunRoutes: readonly Route<AgentServices>[] = [
  defineRoute(resumeAgentRun, (services: AgentServices) => async (request) => {
    const { context } = request;
    const { log, patienceMs } = services;
    const headers = readTurnHeaders(context, services);
    const { decisions } = await request.body();
    const events = prefersEvents(request.header("accept"));
    const signal = clientSignal(context, headers);
    const runId = request.params.run_id;
    const resumed = services.turns.resume({ runId, decisions, headers, stream: events, signal });
    return answerTurn(context, resumed.then(newTurn), { signal, events, log, patienceMs });
  }),

  defineRoute(listAgentRuns, ({ runLog }: AgentServices) => async ({ context, query, caller }) => {
    const page = await runLog.list({ ...query, owner: caller.owner });
    const body: AgentRunList = { runs: [...page.runs], next_cursor: page.next_cursor };
    return context.json(body);
  }),

  defineRoute(
    getAgentRun,
    ({ runLog }: AgentServices) =>
      async (request) =>
        request.context.json(toRunDetails(await findRun(request, runLog))),
  ),

  defineRoute(cancelAgentRun, ({ turns, runLog }: AgentServices) => async (request) => {
    await turns.cancel(request.params.run_id, request.caller.owner);
    const { id, entries } = await findRun(request, runLog);
    return request.context.json(summarizeRun(id, entries), 202);
  }),

  defineRoute(replayAgentRun, ({ runLog, tools, limits, price, runner }: AgentServices) => async (request) => {
    const record = await findRun(request, runLog);
    const isPlugIn = runner !== undefined;
    const { signal } = request;
    return request.context.json(await replayRun(record, { tools: tools(), limits, price, isPlugIn, signal }));
  }),

  defineRoute(agentRunToScenario, ({ runLog, library }: AgentServices) => async (request) => {
    const scenario = runToScenario(await findRun(request, runLog));
    const [kept] = await library.keep([scenario]);
    return request.context.json(scenario, 200, kept && { "x-scenario-version": kept.version });
  }),
];

async function findRun(
  { context, params, caller }: Pick<RouteRequest<typeof getAgentRun>, "context" | "params" | "caller">,
  runLog: AgentRunLog,
): Promise<AgentRunRecord> {
  return holdAnswer(context, (await runLog.get(params.run_id, caller.owner)) ?? unknownRun(params.run_id));
}
