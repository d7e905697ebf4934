import { Hono } from "hono";
import { asksForJson } from "../../../agent/prompted/tool-support.ts";
import { ChatCompletionRequest } from "../../../contract/schemas/wires/openai-chat.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
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

/** POST /v1/chat/completions: the agent behind OpenAI's API. Our tools run here; calls of client tools are returned. */
export function openAiChatRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/v1/chat/completions", async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies, { omit: dependencies.implicitTools });
    const request = validate(ChatCompletionRequest, await readJson(context, bodyLimits));
    checkCount(request.messages, { maxMessages });
    const stream = request.stream === true;
    const known = await parts.earlierSteps.read(headers.owner, fromOpenAiMessages(request.messages));
    const turn = await withModelField(async () =>
      parts.turns.start({
        ...headers,
        ...planChatTools(request, headers.tools),
        wire: "openai-chat",
        modelId: request.model ?? context.req.header("x-model-id"),
        messages: known.messages,
        postponed: known.postponed,
        parameters: toModelParameters(request),
        stream,
        thread: null,
        keep: known.keep,
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
}
