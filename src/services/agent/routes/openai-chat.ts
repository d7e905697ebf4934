import { Hono } from "hono";
import type { ToolDefinition } from "../../../contract/ports/chat-model.ts";
import { ChatCompletionRequest } from "../../../contract/schemas/openai-chat.ts";
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
import { asksForJson } from "../../../agent/prompted/tool-support.ts";
import { checkCount } from "../wires/check-count.ts";
import { untilFirstWord } from "../wires/first-word.ts";
import { namedModel } from "../wires/named-model.ts";
import { toChatChunks, toChatCompletion, toModelParameters } from "../wires/openai-chat.ts";
import { fromOpenAiMessages, planTools, toToolDefinition, type ToolChoice } from "../wires/openai-request.ts";

/** POST /v1/chat/completions: the agent behind OpenAI's own interface. Our tools run here, the client's are handed back. */
export function openAiChatRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/v1/chat/completions", requireScope("agent"), async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const request = validate(ChatCompletionRequest, await readJson(context, bodyLimits));
    checkCount(request.messages, { maxMessages });
    const stream = request.stream === true;
    const known = await parts.earlierSteps.read(headers.owner, fromOpenAiMessages(request.messages));
    const turn = await namedModel(async () =>
      parts.turns.start({
        ...headers,
        ...planTools({
          tools: headers.tools,
          clientTools: toClientTools(request),
          choice: toChoice(request.tool_choice),
        }),
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
      await untilFirstWord(turn, { patienceMs });
      const onCrash = crashReporter({ log, requestId: headers.requestId, turn });
      const includeUsage = request.stream_options?.include_usage === true;
      const json = asksForJson(request["response_format"]);
      return answerEvents(context, toChatChunks(turn, { created, includeUsage, json, onCrash }), turnHeaders(turn));
    }
    const outcome = await turn.outcome;
    if (!outcome.ok) throw toTurnError(turn, outcome.error);
    return answerJson(context, toChatCompletion(turn, outcome, created), {
      ...turnHeaders(turn),
      ...totalsHeaders(outcome),
    });
  });
}

function toChoice(choice: ChatCompletionRequest["tool_choice"]): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (typeof choice !== "object" || choice === null) return null;
  if (choice.type === "function") return { name: choice.function.name };
  const { mode, tools } = choice.allowed_tools;
  return { allowed: tools.map((tool) => tool.function.name), isRequired: mode === "required" };
}

function toClientTools({ tools }: ChatCompletionRequest): readonly ToolDefinition[] {
  return (tools ?? []).map(({ function: tool, cache_control = tool.cache_control }) =>
    toToolDefinition({ ...tool, cache_control }),
  );
}
