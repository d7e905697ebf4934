import { Hono } from "hono";
import { ResponseRequest } from "../../../contract/schemas/wires/openai-responses.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { totalsHeaders, toTurnError, turnHeaders } from "../turns/turn-answer.ts";
import { crashReporter, untilFirstOutput } from "../wires/answer-stream.ts";
import { toResponseEvents } from "../wires/openai-response-events.ts";
import { fromResponseInput, fromResponseParameters, planResponseTools, toResponse } from "../wires/openai-responses.ts";
import { checkCount, clientSignal, readTurnHeaders, refuseThread, withModelField } from "../wires/read-turn.ts";

/** POST /v1/responses: the agent behind OpenAI's Responses API. Responses are not stored under their id. */
export function openAiResponsesRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/v1/responses", async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies, { omit: dependencies.implicitTools });
    const request = validate(ResponseRequest, await readJson(context, bodyLimits));
    const messages = fromResponseInput(request);
    checkCount(messages, { maxMessages, pointer: "/input" });
    const stream = request.stream === true;
    const known = await parts.earlierSteps.read(headers.owner, messages);
    const turn = await withModelField(async () =>
      parts.turns.start({
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
}
