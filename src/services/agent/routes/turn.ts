import { Hono } from "hono";
import { fromAgentMessages } from "../../../agent/messages/history.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import { worldHeader } from "../../../contract/schemas/acting/world.ts";
import { AgentRequest } from "../../../contract/schemas/agent-message.ts";
import { readIdempotency } from "../../http/body/idempotency.ts";
import { prefersAsync } from "../../http/body/prefers-async.ts";
import { prefersEvents } from "../../http/responses/event-stream.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { answerAccepted, answerTurn, type FollowedTurn } from "../wires/agent.ts";
import { checkCount, clientSignal, readThreadId, readTurnHeaders } from "../wires/read-turn.ts";

/**
 * POST /: one turn of the agent, as JSON, as events, or accepted to be read later. When the client disconnects, the turn is
 * cancelled, unless the client asked for it to continue, does not wait for it, or sent an Idempotency-Key, with which it can fetch
 * the answer later.
 */
export function agentTurnRoute(dependencies: AgentDependencies, { turns, runLog }: AgentParts): Hono<ShellEnvironment> {
  const { router, bodyLimits, maxMessages, log, patienceMs } = dependencies;

  return new Hono<ShellEnvironment>().post("/", async (context) => {
    const modelId = context.req.header("x-model-id");
    router.check(modelId);
    const headers = readTurnHeaders(context, dependencies);
    const threadId = readThreadId(context);
    const body = await readJson(context, bodyLimits);
    const { messages, system_prompt: prompt, parameters } = validate(AgentRequest, body);
    const opening: ChatMessage[] = prompt ? [{ role: "system", content: prompt }] : [];
    checkCount(messages, { maxMessages });
    const key = readIdempotency(context.req.header("idempotency-key"), { model: modelId, thread: threadId, body });
    const { owner } = headers;
    const answerKey = key && { ...key, owner };
    const isAsync = prefersAsync(context);

    const signal = clientSignal(context, isAsync ? { onDisconnect: "continue" } : headers, key ? "continue" : "cancel");
    const events = prefersEvents(context.req.header("accept"));
    const world = context.req.header(worldHeader);
    const request = {
      ...headers,
      wire: "agent" as const,
      modelId,
      stream: events,
      answerKey,
      parameters,
      world,
      isAsync,
    };
    const start = () =>
      threadId === null
        ? turns.start({ ...request, messages: [...opening, ...fromAgentMessages(messages)], thread: null }, signal)
        : turns.startInThread({ ...request, opening, thread: { id: threadId, messages } }, signal);
    const started = turns.once(answerKey, start, { signal: context.req.raw.signal, isAsync });
    if (isAsync) {
      const keyed = await started;
      if (keyed.kind !== "answer") return answerAccepted(context, keyed, { runLog, owner });
    }
    // A client that waits follows the turn here.
    return answerTurn(context, started as Promise<FollowedTurn>, { signal, events, log, patienceMs });
  });
}
