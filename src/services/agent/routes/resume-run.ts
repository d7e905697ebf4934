import { Hono } from "hono";
import { selectTools } from "../../../agent/select-tools.ts";
import { ResumeRequest, type WaitingRun } from "../../../contract/agent-approval.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { requireScope } from "../../http/auth.ts";
import { readJson } from "../../http/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { readTurnHeaders } from "../turns/read-turn-headers.ts";
import type { WaitingState } from "../turns/waiting-state.ts";
import { answerTurn } from "../wires/answer-turn.ts";
import { prefersEvents } from "../wires/event-stream.ts";
import { unknownRun } from "./agent-runs.ts";

/** POST /agent/runs/{run_id}/resume: goes on with a run whose tool calls waited for approval. Each run waits once. */
export function resumeRunRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, log } = dependencies;
  const { runLog, waitingRuns } = parts;

  async function take(runId: string, owner: string | null): Promise<WaitingRun<WaitingState>> {
    const waiting = await waitingRuns.take(runId, owner);
    // What is kept there was put there by `createTurns`, and by nothing else.
    if (waiting) return waiting as WaitingRun<WaitingState>;
    if (!(await runLog.get(runId, owner))) unknownRun(runId);
    throw new ServiceError("run_already_finished", `The run ${runId} does not wait for approval any more.`, {
      hint: "Each approval counts once and expires; read the run with GET /agent/runs/{run_id}.",
    });
  }

  return new Hono<ShellEnvironment>().post("/agent/runs/:run_id/resume", requireScope("agent"), async (context) => {
    const runId = context.req.param("run_id");
    const headers = readTurnHeaders(context, dependencies);
    const { decisions } = validate(ResumeRequest, await readJson(context, bodyLimits));
    const events = prefersEvents(context.req.header("accept"));
    const { signal } = context.req.raw;
    const { owner, requestId } = headers;
    const waiting = await take(runId, owner);
    const { state } = waiting;
    const tools = dependencies.tools();
    const known = new Set(tools.map(({ definition }) => definition.name));

    const resume = () =>
      parts.turns.resume(waiting, {
        runId,
        decisions,
        owner,
        requestId,
        wire: state.wire,
        modelId: state.model_id,
        fallbacks: state.fallbacks,
        tools: selectTools(
          tools,
          state.tools.filter((name) => known.has(name)),
        ),
        clientTools: state.client_tools,
        parameters: state.parameters ?? undefined,
        stream: events,
        thread: state.thread,
      });
    const turn = await (state.thread ? parts.inThread({ owner, id: state.thread.id }, signal, resume) : resume()).catch(
      async (error: unknown) => {
        // Nothing has run: the decisions did not fit, or the model is not there. The run can still be decided about.
        await waitingRuns.put(runId, waiting);
        throw error;
      },
    );
    if (headers.onDisconnect === "continue") turn.keep();
    else turn.watch(signal);
    return answerTurn(context, { kind: "turn", turn, replayed: false }, { events, log });
  });
}
