import { Hono } from "hono";
import { ResumeRequest } from "../../../contract/schemas/agent-run.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { prefersEvents } from "../../http/responses/event-stream.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { clientSignal } from "../turns/client-signal.ts";
import { readTurnHeaders } from "../turns/read-turn-headers.ts";
import { resumeWaitingRun } from "../turns/resume-waiting-run.ts";
import { answerTurn } from "../wires/answer-turn.ts";

/** POST /agent/runs/{run_id}/resume: goes on with a run whose tool calls waited for approval. Each run waits once. */
export function resumeRunRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/agent/runs/:run_id/resume", requireScope("agent"), async (context) => {
    const runId = context.req.param("run_id");
    const headers = readTurnHeaders(context, dependencies);
    const { decisions } = validate(ResumeRequest, await readJson(context, bodyLimits));
    const events = prefersEvents(context.req.header("accept"));
    const signal = clientSignal(context, headers);
    const resumed = resumeWaitingRun(dependencies, parts, { runId, decisions, headers, stream: events, signal });
    const begun = resumed.then((turn) => {
      turn.watch(signal);
      return { kind: "turn" as const, turn, replayed: false };
    });
    return answerTurn(context, begun, { events, log, patienceMs });
  });
}
