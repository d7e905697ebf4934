import { Hono } from "hono";
import { AgUiRequest } from "../../../contract/schemas/ag-ui.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { clientSignal } from "../turns/client-signal.ts";
import { readTurnHeaders, refuseThread, type TurnHeaders } from "../turns/read-turn-headers.ts";
import { resumeWaitingRun } from "../turns/resume-waiting-run.ts";
import type { Turn } from "../turns/turn.ts";
import { sendAgUiError, sendAgUiEvents, type AgUiRun } from "../wires/ag-ui-events.ts";
import { fromAgUi, readResume, type AgUiDecisions } from "../wires/ag-ui-request.ts";
import { answerChat } from "../wires/answer-chat.ts";
import { checkCount } from "../wires/check-count.ts";
import { namedModel } from "../wires/named-model.ts";
import { fieldError, planTools, toToolDefinition } from "../wires/openai-request.ts";

/** POST /agent/ag-ui: the agent behind AG-UI's `HttpAgent`, with the client's own tools and approvals. */
export function agUiRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  /** A model that the body names is told of as such. */
  function start(request: AgUiRequest, headers: TurnHeaders, inHeader: string | undefined): Promise<Turn> {
    const { model } = request.forwardedProps ?? {};
    const begin = async () =>
      parts.turns.start({
        ...headers,
        ...planTools({
          tools: headers.tools,
          clientTools: (request.tools ?? []).map(toToolDefinition),
          choice: null,
        }),
        wire: "ag-ui",
        modelId: model ?? inHeader,
        messages: fromAgUi(request),
        stream: true,
        thread: null,
      });
    return model === undefined ? begin() : namedModel(begin, { field: "forwardedProps/model" });
  }

  return new Hono<ShellEnvironment>().post("/agent/ag-ui", requireScope("agent"), async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const request = validate(AgUiRequest, await readJson(context, bodyLimits));
    const signal = clientSignal(context, headers);
    const decided = readResume(request);
    if (!decided && request.messages.length === 0)
      throw fieldError("/messages", "is empty: there is nothing to answer");
    checkCount(request.messages, { maxMessages });
    const started = decided
      ? resumeWaitingRun(dependencies, parts, { ...decided, headers, stream: true, signal })
      : start(request, headers, context.req.header("x-model-id"));
    const run = toRun(request, decided);
    return answerChat(context, started, {
      send: (stream, turn, onCrash) => sendAgUiEvents(stream, turn, { run, onCrash }),
      sendError: sendAgUiError,
      signal,
      log,
      patienceMs,
    });
  });
}

function toRun({ threadId, runId, messages }: AgUiRequest, decided: AgUiDecisions | null): AgUiRun {
  const asked = decided ? messages.findLast((message) => message.role === "assistant") : undefined;
  return { threadId, runId, told: Object.keys(decided?.decisions ?? {}), parentMessageId: asked?.id };
}
