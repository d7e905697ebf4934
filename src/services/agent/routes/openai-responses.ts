import { createResponse } from "../../../contract/operations/agent-turns.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { defineRoute } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { totalsHeaders, toTurnError, turnHeaders } from "../turns/turn-answer.ts";
import { crashReporter, untilFirstOutput } from "../wires/answer-stream.ts";
import { toResponseEvents } from "../wires/openai-response-events.ts";
import { fromResponseInput, fromResponseParameters, planResponseTools, toResponse } from "../wires/openai-responses.ts";
import { checkCount, clientSignal, readTurnHeaders, refuseThread, withModelField } from "../wires/read-turn.ts";

/** The agent behind OpenAI's Responses API. Responses are not stored under their id. */
export const openAiResponsesRoute = defineRoute(createResponse, (services: AgentServices) => async (route) => {
  const { maxMessages, log, patienceMs } = services;
  const { context } = route;
  refuseThread(context);
  const headers = readTurnHeaders(context, services, { omit: services.implicitTools });
  const request = await route.body();
  const messages = fromResponseInput(request);
  checkCount(messages, { maxMessages, pointer: "/input" });
  const stream = request.stream === true;
  const known = await services.earlierSteps.read(headers.owner, messages);
  const turn = await withModelField(async () =>
    services.turns.start({
      ...headers,
      ...planResponseTools(request, headers.tools),
      wire: "openai-responses",
      modelId: request.model ?? context.req.header("x-model-id"),
      messages: known.messages,
      postponed: known.postponed,
      parameters: fromResponseParameters(request),
      stream,
      thread: null,
      keep: known.keep,
    }),
  );
  turn.watch(clientSignal(context, headers));

  const head = { request, created: Math.floor(Date.now() / 1000) };
  if (stream) {
    await untilFirstOutput(turn, { patienceMs });
    const onCrash = crashReporter({ log, requestId: headers.requestId, turn });
    return answerEvents(context, toResponseEvents(turn, { ...head, onCrash }), turnHeaders(turn));
  }
  const outcome = await turn.outcome;
  if (!outcome.ok) throw toTurnError(turn, outcome.error);
  return answerJson(context, toResponse(turn, outcome, head), { ...turnHeaders(turn), ...totalsHeaders(outcome) });
});
