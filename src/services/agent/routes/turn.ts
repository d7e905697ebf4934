import { fromAgentMessages } from "../../../agent/messages/history.ts";
import { runAgentTurn } from "../../../contract/operations/agent-turns.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import { worldHeader } from "../../../contract/schemas/acting/world.ts";
import { readIdempotency } from "../../http/body/idempotency.ts";
import { prefersAsync } from "../../http/body/prefers-async.ts";
import { prefersEvents } from "../../http/responses/event-stream.ts";
import { defineRoute } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { answerAccepted, answerTurn, type FollowedTurn } from "../wires/agent.ts";
import { checkCount, clientSignal, readThreadId, readTurnHeaders } from "../wires/read-turn.ts";

/**
 * One turn of the agent, as JSON, as events, or accepted to be read later. When the client disconnects, the turn is cancelled,
 * unless the client asked for it to continue, does not wait for it, or sent an Idempotency-Key, with which it can fetch the answer
 * later.
 */
export const agentTurnRoute = defineRoute(runAgentTurn, (services: AgentServices) => async (request) => {
  const { router, maxMessages, log, patienceMs, turns, runLog } = services;
  const { context } = request;
  const modelId = request.header("x-model-id");
  router.check(modelId);
  const headers = readTurnHeaders(context, services);
  const threadId = readThreadId(context);
  const { body, sent } = await request.read();
  const { messages, system_prompt: prompt, parameters } = body;
  const opening: ChatMessage[] = prompt ? [{ role: "system", content: prompt }] : [];
  checkCount(messages, { maxMessages });
  const key = readIdempotency(request.header("idempotency-key"), { model: modelId, thread: threadId, body: sent });
  const { owner } = headers;
  const answerKey = key && { ...key, owner };
  const isAsync = prefersAsync(context);

  const signal = clientSignal(context, isAsync ? { onDisconnect: "continue" } : headers, key ? "continue" : "cancel");
  const events = prefersEvents(request.header("accept"));
  const turn = {
    ...headers,
    wire: "agent" as const,
    modelId,
    stream: events,
    answerKey,
    parameters,
    world: request.header(worldHeader),
    isAsync,
  };
  const start = () =>
    threadId === null
      ? turns.start({ ...turn, messages: [...opening, ...fromAgentMessages(messages)], thread: null }, signal)
      : turns.startInThread({ ...turn, opening, thread: { id: threadId, messages } }, signal);
  const started = turns.once(answerKey, start, { signal: request.signal, isAsync });
  if (isAsync) {
    const keyed = await started;
    if (keyed.kind !== "answer") return answerAccepted(context, keyed, { runLog, owner });
  }
  // A client that waits follows the turn here.
  return answerTurn(context, started as Promise<FollowedTurn>, { signal, events, log, patienceMs });
});
