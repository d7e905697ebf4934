import { Hono } from "hono";
import { UiChatRequest } from "../../../contract/schemas/wires/ai-sdk.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { answerChat } from "../wires/answer-stream.ts";
import { checkCount, clientSignal, readTurnHeaders, refuseThread, withModelField } from "../wires/read-turn.ts";
import { fromUiMessages, readDecisions, sendUiError, sendUiMessage, uiStreamHeaders } from "../wires/ui-messages.ts";

/** POST /agent/ui-messages: the agent behind the AI SDK's `useChat`, with approvals. */
export function uiMessagesRoute(dependencies: AgentDependencies, { turns }: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/agent/ui-messages", async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const { messages, model } = validate(UiChatRequest, await readJson(context, bodyLimits));
    checkCount(messages, { maxMessages });
    const signal = clientSignal(context, headers);
    const decided = readDecisions(messages);
    const started = decided
      ? turns.resume({ ...decided, headers, stream: true, signal })
      : withModelField(() =>
          turns.start({
            ...headers,
            wire: "ai-sdk-ui",
            modelId: model ?? context.req.header("x-model-id"),
            messages: fromUiMessages(messages),
            stream: true,
            thread: null,
          }),
        );
    return answerChat(context, started, {
      send: (stream, turn, onCrash) =>
        sendUiMessage(stream, turn, {
          // A resumed run continues the message that asked for approval.
          messageId: decided?.messageId ?? `run--${turn.runId}`,
          denied: decided?.denied ?? [],
          onCrash,
        }),
      sendError: sendUiError,
      headers: uiStreamHeaders,
      signal,
      log,
      patienceMs,
    });
  });
}
