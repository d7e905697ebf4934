import { toStoredMessage } from "../../../agent/messages/history.ts";
import {
  cancelResponse,
  createResponse,
  deleteResponse,
  getResponse,
} from "../../../contract/operations/agent-responses.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import type { ResponseRequest } from "../../../contract/schemas/wires/openai-responses.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { totalsHeaders, toTurnError, turnHeaders } from "../turns/turn-answer.ts";
import { crashReporter, untilFirstOutput } from "../wires/answer-stream.ts";
import { toResponseEvents } from "../wires/openai-response-events.ts";
import {
  fromResponseItems,
  fromResponseParameters,
  openResponse,
  planResponseTools,
  runOfId,
  toLooseItems,
  toResponse,
  type ResponseHead,
} from "../wires/openai-responses.ts";
import {
  checkCount,
  clientSignal,
  fieldError,
  readThreadId,
  readTurnHeaders,
  withModelField,
} from "../wires/read-turn.ts";
import { findResponse, readInput, unknownResponse } from "../wires/stored-responses.ts";

/** The agent behind OpenAI's Responses API. Unless `store` is false, a response is accepted work and stored under its id. */
export const openAiResponsesRoutes: readonly Route<AgentServices>[] = [
  defineRoute(createResponse, (services: AgentServices) => async (route) => {
    const { maxMessages, log, patienceMs, turns, memory } = services;
    const { context } = route;
    const headers = readTurnHeaders(context, services, { omit: services.implicitTools });
    const headerThread = readThreadId(context);
    const request = await route.body();
    const isStored = request.store !== false;
    const isAsync = request.background === true;
    if (isAsync && !isStored) throw fieldError("/background", "needs a stored response: leave store out");
    const { owner } = headers;
    const { before, items, previous } = await readInput(request, { responses: memory.responses, owner });
    const threadId = conversationOf(request) ?? headerThread;
    if (threadId !== null && previous !== null)
      throw fieldError("/previous_response_id", "cannot be combined with x-thread-id: send one of them");
    const whole = [...before, ...items];
    checkCount(whole, { maxMessages, pointer: previous === null ? "/input" : "/previous_response_id" });
    const stream = request.stream === true;
    const conversation = threadId === null ? null : { id: threadId };
    const head: ResponseHead = {
      request: { ...request, conversation, input: [...items] },
      created: Math.floor(Date.now() / 1000),
    };
    const signal = clientSignal(context, isAsync ? { onDisconnect: "continue" } : headers);
    const turn = await withModelField(async () => {
      const started = {
        ...headers,
        ...planResponseTools(request, headers.tools),
        wire: "openai-responses" as const,
        modelId: request.model ?? context.req.header("x-model-id"),
        hidesSteps: true,
        parameters: fromResponseParameters(request),
        stream,
        isAsync,
        response: isStored ? { previous, request: head } : undefined,
      };
      if (threadId === null)
        return turns.start({ ...started, messages: fromResponseItems(whole, request.instructions), thread: null });
      const opening: ChatMessage[] = request.instructions ? [{ role: "system", content: request.instructions }] : [];
      const thread = { id: threadId, messages: toLooseItems(items).map(toStoredMessage) };
      return turns.startInThread({ ...started, opening, thread, isClientTool: () => true }, signal);
    });
    turn.watch(signal);

    if (stream) {
      await untilFirstOutput(turn, { patienceMs });
      const onCrash = crashReporter({ log, requestId: headers.requestId, turn });
      return answerEvents(context, toResponseEvents(turn, { ...head, onCrash }), turnHeaders(turn));
    }
    if (isAsync) return answerJson(context, { ...openResponse(turn, head), status: "queued" }, turnHeaders(turn));
    const outcome = await turn.outcome;
    if (!outcome.ok) throw toTurnError(turn, outcome.error);
    return answerJson(context, toResponse(turn, outcome, head), { ...turnHeaders(turn), ...totalsHeaders(outcome) });
  }),

  defineRoute(getResponse, ({ memory: { responses } }: AgentServices) => async ({ context, params, caller }) => {
    const body = await findResponse(params.response_id, { responses, owner: caller.owner });
    return context.json(holdAnswer(context, body));
  }),

  defineRoute(deleteResponse, ({ memory: { responses } }: AgentServices) => async ({ context, params, caller }) => {
    const id = params.response_id;
    const runId = runOfId(id);
    const isDeleted = runId !== null && (await responses.remove(runId, caller.owner));
    if (!isDeleted) throw unknownResponse(id);
    return context.json({ id, object: "response", deleted: true });
  }),

  defineRoute(
    cancelResponse,
    ({ turns, memory: { responses } }: AgentServices) =>
      async ({ context, params, caller }) => {
        const { owner } = caller;
        const id = params.response_id;
        const { status } = await findResponse(id, { responses, owner });
        const runId = runOfId(id);
        if (runId !== null && status === "in_progress") await turns.cancel(runId, owner);
        return context.json(holdAnswer(context, await findResponse(id, { responses, owner })));
      },
  ),
];

function conversationOf({ conversation }: ResponseRequest): string | null {
  return (typeof conversation === "string" ? conversation : conversation?.id) ?? null;
}
