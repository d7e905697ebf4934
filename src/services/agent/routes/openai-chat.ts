import { asksForJson } from "../../../agent/prompted/tool-support.ts";
import { createChatCompletion } from "../../../contract/operations/agent-turns.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { defineRoute } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { totalsHeaders, toTurnError, turnHeaders } from "../turns/turn-answer.ts";
import { crashReporter, untilFirstOutput } from "../wires/answer-stream.ts";
import {
  fromOpenAiMessages,
  planChatTools,
  toChatChunks,
  toChatCompletion,
  toModelParameters,
} from "../wires/openai-chat.ts";
import { checkCount, clientSignal, readTurnHeaders, refuseThread, withModelField } from "../wires/read-turn.ts";

/** The agent behind OpenAI's API. Our tools run here; calls of client tools are returned. */
export const openAiChatRoute = defineRoute(createChatCompletion, (services: AgentServices) => async (route) => {
  const { maxMessages, log, patienceMs } = services;
  const { context } = route;
  refuseThread(context);
  const headers = readTurnHeaders(context, services, { omit: services.implicitTools });
  const request = await route.body();
  checkCount(request.messages, { maxMessages });
  const stream = request.stream === true;
  const turn = await withModelField(async () =>
    services.turns.start({
      ...headers,
      ...planChatTools(request, headers.tools),
      wire: "openai-chat",
      modelId: request.model ?? context.req.header("x-model-id"),
      messages: fromOpenAiMessages(request.messages),
      hidesSteps: true,
      parameters: toModelParameters(request),
      stream,
      thread: null,
    }),
  );
  turn.watch(clientSignal(context, headers));

  const created = Math.floor(Date.now() / 1000);
  if (stream) {
    await untilFirstOutput(turn, { patienceMs });
    const onCrash = crashReporter({ log, requestId: headers.requestId, turn });
    const includeUsage = request.stream_options?.include_usage === true;
    const json = asksForJson(request["response_format"]);
    return answerEvents(context, toChatChunks(turn, { created, includeUsage, json, onCrash }), turnHeaders(turn));
  }
  const outcome = await turn.outcome;
  if (!outcome.ok) throw toTurnError(turn, outcome.error);
  const answerHeaders = { ...turnHeaders(turn), ...totalsHeaders(outcome) };
  return answerJson(context, toChatCompletion(turn, outcome, created), answerHeaders);
});
