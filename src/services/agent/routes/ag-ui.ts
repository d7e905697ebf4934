import { streamAgUi } from "../../../contract/operations/agent-turns.ts";
import type { AgUiRequest } from "../../../contract/schemas/wires/ag-ui.ts";
import { defineRoute } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import type { Turn } from "../turns/turn.ts";
import type { Turns } from "../turns/turns.ts";
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

/** The agent behind AG-UI's `HttpAgent`, with client tools and approvals. */
export const agUiRoute = defineRoute(streamAgUi, (services: AgentServices) => async (route) => {
  const { maxMessages, log, patienceMs, turns } = services;
  const { context } = route;
  refuseThread(context);
  const headers = readTurnHeaders(context, services);
  const request = await route.body();
  const signal = clientSignal(context, headers);
  const decided = readResume(request);
  if (!decided && request.messages.length === 0) throw fieldError("/messages", "is empty: there is nothing to answer");
  checkCount(request.messages, { maxMessages });
  const started = decided
    ? turns.resume({ ...decided, headers, stream: true, signal })
    : start(request, { turns, headers, headerModel: route.header("x-model-id") });
  const run = toRun(request, decided);
  return answerChat(context, started, {
    send: (stream, turn, onCrash) => sendAgUiEvents(stream, turn, { run, onCrash }),
    sendError: sendAgUiError,
    signal,
    log,
    patienceMs,
  });
});

function start(
  request: AgUiRequest,
  { turns, headers, headerModel }: { turns: Turns; headers: TurnHeaders; headerModel: string | undefined },
): Promise<Turn> {
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

function toRun({ threadId, runId, messages }: AgUiRequest, decided: AgUiDecisions | null): AgUiRun {
  const asked = decided ? messages.findLast((message) => message.role === "assistant") : undefined;
  return { threadId, runId, knownCalls: Object.keys(decided?.decisions ?? {}), parentMessageId: asked?.id };
}
