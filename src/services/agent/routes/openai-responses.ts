import { Hono } from "hono";
import type { ModelParameters, ToolDefinition } from "../../../contract/ports/chat-model.ts";
import { ResponseRequest, fieldsSharedWithChat } from "../../../contract/schemas/openai-responses.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { clientSignal } from "../turns/client-signal.ts";
import { readTurnHeaders, refuseThread } from "../turns/read-turn-headers.ts";
import { totalsHeaders, toTurnError, turnHeaders } from "../turns/turn-headers.ts";
import { crashReporter } from "../wires/answer-turn.ts";
import { checkCount } from "../wires/check-count.ts";
import { untilFirstWord } from "../wires/first-word.ts";
import { namedModel } from "../wires/named-model.ts";
import { planTools, toToolDefinition, type ToolChoice } from "../wires/openai-request.ts";
import { fromResponseInput, toResponse } from "../wires/openai-response.ts";
import { toResponseEvents } from "../wires/openai-response-events.ts";

/** POST /v1/responses: the agent behind OpenAI's newer interface. Nothing is stored under the response's id. */
export function openAiResponsesRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/v1/responses", requireScope("agent"), async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const request = validate(ResponseRequest, await readJson(context, bodyLimits));
    const messages = fromResponseInput(request);
    checkCount(messages, { maxMessages, pointer: "/input" });
    const stream = request.stream === true;
    const known = await parts.earlierSteps.read(headers.owner, messages);
    const turn = await namedModel(async () =>
      parts.turns.start({
        ...headers,
        ...planTools({ tools: headers.tools, clientTools: toClientTools(request), choice: toChoice(request) }),
        wire: "openai-responses",
        modelId: request.model ?? context.req.header("x-model-id"),
        messages: known.messages,
        postponed: known.postponed,
        parameters: toParameters(request),
        stream,
        thread: null,
        keep: known.keep,
      }),
    );
    turn.watch(clientSignal(context, headers));

    const head = { request, created: Math.floor(Date.now() / 1000) };
    if (stream) {
      await untilFirstWord(turn, { patienceMs });
      const onCrash = crashReporter({ log, requestId: headers.requestId, turn });
      return answerEvents(context, toResponseEvents(turn, { ...head, onCrash }), turnHeaders(turn));
    }
    const outcome = await turn.outcome;
    if (!outcome.ok) throw toTurnError(turn, outcome.error);
    return answerJson(context, toResponse(turn, outcome, head), { ...turnHeaders(turn), ...totalsHeaders(outcome) });
  });
}

function toClientTools({ tools }: ResponseRequest): readonly ToolDefinition[] {
  return (tools ?? []).map(toToolDefinition);
}

function toChoice({ tool_choice: choice }: ResponseRequest): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (typeof choice !== "object" || choice === null) return null;
  if (choice.type === "function") return { name: choice.name };
  return { allowed: choice.tools.map(({ name }) => name), isRequired: choice.mode === "required" };
}

function toParameters(request: ResponseRequest): ModelParameters {
  const { temperature, top_p, max_output_tokens, parallel_tool_calls } = request;
  const extra = toChatFields(request);
  return {
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof top_p === "number" && { top_p }),
    ...(typeof max_output_tokens === "number" && { max_tokens: max_output_tokens }),
    ...(typeof parallel_tool_calls === "boolean" && { parallel_tool_calls }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** What else may be said of the reply, in the words of chat completions: every provider is spoken to in those. */
function toChatFields(request: ResponseRequest): Record<string, unknown> {
  const { text, reasoning, include, top_logprobs } = request;
  // Plain text is what comes anyway; clients say so, and not every provider knows the word.
  const format = text?.format?.type === "text" ? null : text?.format;
  const shared = Object.keys(fieldsSharedWithChat).map((name) => [
    name,
    request[name as keyof typeof fieldsSharedWithChat],
  ]);
  return {
    ...Object.fromEntries(shared.filter(([, value]) => value != null)),
    ...(format && { response_format: toResponseFormat(format) }),
    ...(text?.verbosity && { verbosity: text.verbosity }),
    ...(reasoning?.effort && { reasoning_effort: reasoning.effort }),
    ...(include?.includes("message.output_text.logprobs") && { logprobs: true }),
    ...(typeof top_logprobs === "number" && { logprobs: true, top_logprobs }),
  };
}

function toResponseFormat({ type, ...described }: NonNullable<NonNullable<ResponseRequest["text"]>["format"]>) {
  return type === "json_schema" ? { type, json_schema: described } : { type };
}
