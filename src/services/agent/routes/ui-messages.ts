import { Hono } from "hono";
import { UiChatRequest } from "../../../contract/schemas/ai-sdk.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { clientSignal } from "../turns/client-signal.ts";
import { readTurnHeaders, refuseThread } from "../turns/read-turn-headers.ts";
import { resumeWaitingRun } from "../turns/resume-waiting-run.ts";
import { answerChat } from "../wires/answer-chat.ts";
import { checkCount } from "../wires/check-count.ts";
import { namedModel } from "../wires/named-model.ts";
import { sendUiError, sendUiMessage, uiStreamHeaders } from "../wires/ui-message-stream.ts";
import { fromUiMessages, readDecisions } from "../wires/ui-request.ts";

/** POST /agent/ui-messages: the agent behind the AI SDK's `useChat`, approvals included. */
export function uiMessagesRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/agent/ui-messages", requireScope("agent"), async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const { messages, model } = validate(UiChatRequest, await readJson(context, bodyLimits));
    checkCount(messages, { maxMessages });
    const signal = clientSignal(context, headers);
    const decided = readDecisions(messages);
    const started = decided
      ? resumeWaitingRun(dependencies, parts, { ...decided, headers, stream: true, signal })
      : namedModel(() =>
          parts.turns.start({
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
          // What follows a decision belongs to the message that asked for it.
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
