import { Hono } from "hono";
import { AgUiRequest } from "../../../contract/schemas/wires/ag-ui.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import type { Turn } from "../turns/turn.ts";
import {
  fromAgUi,
  readResume,
  sendAgUiError,
  sendAgUiEvents,
  type AgUiDecisions,
  type AgUiRun,
} from "../wires/ag-ui.ts";
import { answerChat } from "../wires/answer-stream.ts";
import { planTools, toToolDefinition } from "../wires/client-tools.ts";
import {
  checkCount,
  clientSignal,
  fieldError,
  readTurnHeaders,
  refuseThread,
  withModelField,
  type TurnHeaders,
} from "../wires/read-turn.ts";

/** POST /agent/ag-ui: the agent behind AG-UI's `HttpAgent`, with client tools and approvals. */
export function agUiRoute(dependencies: AgentDependencies, { turns }: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  function start(request: AgUiRequest, headers: TurnHeaders, headerModel: string | undefined): Promise<Turn> {
    const { model } = request.forwardedProps ?? {};
    const clientTools = (request.tools ?? []).map(toToolDefinition);
    const begin = async () =>
      turns.start({
        ...headers,
        ...planTools({ tools: headers.tools, clientTools, choice: null }),
        wire: "ag-ui",
        modelId: model ?? headerModel,
        messages: fromAgUi(request),
        stream: true,
        thread: null,
      });
    return model === undefined ? begin() : withModelField(begin, { field: "forwardedProps/model" });
  }

  return new Hono<ShellEnvironment>().post("/agent/ag-ui", async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const request = validate(AgUiRequest, await readJson(context, bodyLimits));
    const signal = clientSignal(context, headers);
    const decided = readResume(request);
    if (!decided && request.messages.length === 0)
      throw fieldError("/messages", "is empty: there is nothing to answer");
    checkCount(request.messages, { maxMessages });
    const started = decided
      ? turns.resume({ ...decided, headers, stream: true, signal })
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
  return { threadId, runId, knownCalls: Object.keys(decided?.decisions ?? {}), parentMessageId: asked?.id };
}
