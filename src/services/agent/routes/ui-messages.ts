import { Hono } from "hono";
import { UiChatRequest } from "../../../contract/agent-ui.ts";
import { answerEvents } from "../../http/answer-events.ts";
import { requireScope } from "../../http/auth.ts";
import { readJson } from "../../http/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { clientSignal } from "../turns/client-signal.ts";
import { readTurnHeaders, refuseThread } from "../turns/read-turn-headers.ts";
import { resumeWaitingRun } from "../turns/resume-waiting-run.ts";
import { turnHeaders } from "../turns/turn-headers.ts";
import { crashReporter } from "../wires/answer-turn.ts";
import { untilFirstWord } from "../wires/first-word.ts";
import { namedModel } from "../wires/named-model.ts";
import { fieldError } from "../wires/openai-request.ts";
import { toUiMessageStream, uiStreamHeaders } from "../wires/ui-message-stream.ts";
import { fromUiMessages, readDecisions } from "../wires/ui-request.ts";

/** POST /agent/ui-messages: the agent behind the AI SDK's `useChat`, approvals included. */
export function uiMessagesRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, maxMessages, log } = dependencies;

  return new Hono<ShellEnvironment>().post("/agent/ui-messages", requireScope("agent"), async (context) => {
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const { messages, model } = validate(UiChatRequest, await readJson(context, bodyLimits));
    if (messages.length > maxMessages) {
      throw fieldError("/messages", `must hold at most ${maxMessages} messages (REHEARSAL_MAX_MESSAGES)`);
    }
    const goOn = headers.onDisconnect === "continue";
    const signal = clientSignal(context, { goOn });
    const decided = readDecisions(messages);
    const turn = decided
      ? await resumeWaitingRun(dependencies, parts, { ...decided, headers, stream: true, signal })
      : await namedModel(() =>
          parts.turns.start({
            ...headers,
            wire: "ai-sdk-ui",
            modelId: model ?? context.req.header("x-model-id"),
            messages: fromUiMessages(messages),
            stream: true,
            thread: null,
          }),
        );
    if (goOn) turn.keep();
    else turn.watch(signal);
    await untilFirstWord(turn, { showsTools: true });
    // What follows a decision belongs to the message that asked for it.
    const messageId = decided?.messageId ?? `run--${turn.runId}`;
    const onCrash = crashReporter({ log, requestId: headers.requestId, turn });
    return answerEvents(context, toUiMessageStream(turn, { messageId, denied: decided?.denied ?? [], onCrash }), {
      ...turnHeaders(turn),
      ...uiStreamHeaders,
    });
  });
}
