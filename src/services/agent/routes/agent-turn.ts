import { Hono } from "hono";
import { fromAgentMessages } from "../../../agent/messages/history.ts";
import { AgentRequest, type AgentMessage } from "../../../contract/schemas/agent-message.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { readIdempotency } from "../../http/body/idempotency.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { prefersEvents } from "../../http/responses/event-stream.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { clientSignal } from "../turns/client-signal.ts";
import type { KeyedTurn } from "../turns/idempotent-turns.ts";
import { readThreadId, readTurnHeaders, type TurnHeaders } from "../turns/read-turn-headers.ts";
import type { Turn, TurnRequest } from "../turns/turn.ts";
import { answerTurn } from "../wires/answer-turn.ts";
import { checkCount } from "../wires/check-count.ts";

/**
 * POST /: one turn of the agent, as JSON or as events. The client going away cancels it, unless it asked to go on or
 * sent an Idempotency-Key, with which it can come back for the answer.
 */
export function agentTurnRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { router, bodyLimits, maxMessages, log, patienceMs } = dependencies;

  async function start(messages: readonly AgentMessage[], request: StartOptions): Promise<Turn> {
    const { headers, threadId, modelId, stream, signal, answerKey } = request;
    const { owner } = headers;
    checkCount(messages, { maxMessages });
    const begin = (history: readonly AgentMessage[]) => {
      if (threadId !== null) checkThread(threadId, { history, messages, maxMessages, maxBytes: bodyLimits.bytes });
      const thread = threadId === null ? null : { id: threadId, messages };
      return parts.turns.start({
        ...headers,
        wire: "agent",
        modelId,
        messages: fromAgentMessages(history),
        stream,
        thread,
        answerKey,
      });
    };
    if (threadId === null) return begin(messages);
    const key = { owner, id: threadId };
    return parts.inThread(key, signal, async (known) => {
      refuseWhileWaiting(threadId, await parts.waitingRuns.ofThread(key));
      return begin([...known, ...messages]);
    });
  }

  return new Hono<ShellEnvironment>().post("/", requireScope("agent"), async (context) => {
    const modelId = context.req.header("x-model-id");
    router.check(modelId);
    const headers = readTurnHeaders(context, dependencies);
    const threadId = readThreadId(context);
    const body = await readJson(context, bodyLimits);
    const { messages } = validate(AgentRequest, body);
    const events = prefersEvents(context.req.header("accept"));
    const asked = { model: modelId, thread: threadId, body };
    const key = readIdempotency(context.req.header("idempotency-key"), asked);
    const answerKey = key && { ...key, owner: headers.owner };
    const signal = clientSignal(context, headers, key ? "continue" : "cancel");
    const begin = () => start(messages, { headers, threadId, modelId, stream: events, signal, answerKey });
    const begun = (answerKey ? parts.idempotentTurns.begin(answerKey, begin) : begin().then(newTurn)).then((keyed) => {
      if (keyed.kind === "turn") keyed.turn.watch(signal);
      return keyed;
    });
    return answerTurn(context, begun, { events, log, patienceMs });
  });
}

const newTurn = (turn: Turn): KeyedTurn => ({ kind: "turn", turn, replayed: false });

interface StartOptions {
  readonly headers: TurnHeaders;
  readonly threadId: string | null;
  readonly modelId: string | undefined;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  readonly answerKey: TurnRequest["answerKey"];
}

/** The turn that waits comes first: answered now, this one would not know of it, and would stand before it. */
function refuseWhileWaiting(threadId: string, runId: string | null): void {
  if (runId === null) return;
  throw new ServiceError("run_not_finished", `The run ${runId} of the thread ${threadId} waits for approval.`, {
    hint: "Decide about it with POST /agent/runs/{run_id}/resume, or go on in another thread; it stops waiting after an hour.",
  });
}

interface ThreadCheck {
  readonly history: readonly AgentMessage[];
  readonly messages: readonly AgentMessage[];
  readonly maxMessages: number;
  readonly maxBytes: number;
}

/** A conversation in a thread may be as long as one that is sent whole: every turn reads it, and the model is sent all of it. */
function checkThread(id: string, { history, messages, maxMessages, maxBytes }: ThreadCheck): void {
  const held = history.length - messages.length;
  const limit =
    history.length > maxMessages
      ? `${maxMessages} messages (REHEARSAL_MAX_MESSAGES)`
      : held > 0 && Buffer.byteLength(JSON.stringify(history)) > maxBytes
        ? `${maxBytes} bytes (REHEARSAL_MAX_BODY_BYTES)`
        : null;
  if (limit === null) return;
  throw new ServiceError(
    "validation_failed",
    `The thread ${id} is full: it holds ${held} messages, and with those sent now it would hold more than ${limit}.`,
    { hint: "Go on in a new thread, or empty this one with DELETE /agent/threads/{thread_id}." },
  );
}
