import { Hono } from "hono";
import { UiChatRequest } from "../../../contract/agent-ui.ts";
import { inTime } from "../../../contract/in-time.ts";
import { answerEvents } from "../../http/answer-events.ts";
import { requireScope } from "../../http/auth.ts";
import { EventWriter } from "../../http/event-writer.ts";
import { readJson } from "../../http/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { clientSignal } from "../turns/client-signal.ts";
import { readTurnHeaders, refuseThread } from "../turns/read-turn-headers.ts";
import { resumeWaitingRun } from "../turns/resume-waiting-run.ts";
import type { Turn } from "../turns/turn.ts";
import { turnHeaders } from "../turns/turn-headers.ts";
import { crashReporter } from "../wires/answer-turn.ts";
import { checkCount } from "../wires/check-count.ts";
import { untilFirstWord } from "../wires/first-word.ts";
import { namedModel } from "../wires/named-model.ts";
import { openStream } from "../wires/open-stream.ts";
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
    const begun = started.then((turn) => {
      turn.watch(signal);
      return turn;
    });
    const { requestId } = headers;
    const write = (stream: EventWriter, turn: Turn) =>
      sendUiMessage(stream, turn, {
        // What follows a decision belongs to the message that asked for it.
        messageId: decided?.messageId ?? `run--${turn.runId}`,
        denied: decided?.denied ?? [],
        onCrash: crashReporter({ log, requestId, turn }),
      });
    const fail = (stream: EventWriter, error: unknown) => sendUiError(stream, crashReporter({ log, requestId })(error));

    const turn = await inTime(begun, patienceMs);
    if (!turn) return openStream(context, begun, { headers: uiStreamHeaders, write, fail });
    await untilFirstWord(turn, { showsTools: true, patienceMs });
    const stream = new EventWriter();
    write(stream, turn);
    return answerEvents(context, stream, { ...turnHeaders(turn), ...uiStreamHeaders });
  });
}
