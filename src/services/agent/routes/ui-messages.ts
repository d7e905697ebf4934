import { streamUiMessages } from "../../../contract/operations/agent-turns.ts";
import { defineRoute } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { answerChat } from "../wires/answer-stream.ts";
import { checkCount, clientSignal, readTurnHeaders, refuseThread, withModelField } from "../wires/read-turn.ts";
import { fromUiMessages, readDecisions, sendUiError, sendUiMessage, uiStreamHeaders } from "../wires/ui-messages.ts";

/** The agent behind the AI SDK's `useChat`, with approvals. */
export const uiMessagesRoute = defineRoute(streamUiMessages, (services: AgentServices) => async (request) => {
  const { maxMessages, log, patienceMs, turns } = services;
  const { context } = request;
  refuseThread(context);
  const headers = readTurnHeaders(context, services);
  const { messages, model } = await request.body();
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
