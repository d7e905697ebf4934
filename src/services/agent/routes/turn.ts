import { Hono } from "hono";
import { fromAgentMessages } from "../../../agent/messages/history.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { worldHeader } from "../../../contract/schemas/acting/world.ts";
import { AgentRequest } from "../../../contract/schemas/agent-message.ts";
import { readIdempotency } from "../../http/body/idempotency.ts";
import { prefersEvents } from "../../http/responses/event-stream.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/body/validate.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import type { Turn } from "../turns/turn.ts";
import { answerTurn } from "../wires/agent.ts";
import { checkCount, clientSignal, readThreadId, readTurnHeaders } from "../wires/read-turn.ts";

/**
 * POST /: one turn of the agent, as JSON or as events. When the client disconnects, the turn is cancelled, unless the client asked
 * for it to continue or sent an Idempotency-Key, with which it can fetch the answer later.
 */
export function agentTurnRoute(dependencies: AgentDependencies, { turns }: AgentParts): Hono<ShellEnvironment> {
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
    const answerKey = key && { ...key, owner: headers.owner };

    const signal = clientSignal(context, headers, key ? "continue" : "cancel");
    const events = prefersEvents(context.req.header("accept"));
    const request = { ...headers, wire: "agent" as const, modelId, stream: events, answerKey, parameters };
    const start = (own: typeof request) =>
      threadId === null
        ? turns.start({ ...own, messages: [...opening, ...fromAgentMessages(messages)], thread: null })
        : turns.startInThread({ ...own, opening, thread: { id: threadId, messages } }, signal);
    const world = context.req.header(worldHeader);
    const started = turns.once(answerKey, () =>
      world === undefined ? start(request) : inWorld(world, { request, start, signal, dependencies }),
    );
    return answerTurn(context, started, { signal, events, log, patienceMs });
  });
}

interface InWorld<Request, Started> {
  readonly request: Request;
  readonly start: (request: Request) => Promise<Started>;
  readonly signal: AbortSignal;
  readonly dependencies: Pick<AgentDependencies, "openWorld">;
}

/** In a test world the agent has the tools of the world alone: its own may act on production. */
async function inWorld<Request extends { readonly tools: readonly Tool[] }, Started extends Pick<Turn, "outcome">>(
  url: string,
  { request, start, signal, dependencies }: InWorld<Request, Started>,
): Promise<Started> {
  const { openWorld } = dependencies;
  if (!openWorld) throw new ServiceError("header_invalid", `${worldHeader} is not supported by this agent.`);
  const world = await openWorld(url, signal);
  const close = (): void => void world.close();
  try {
    const turn = await start({ ...request, tools: world.tools });
    turn.outcome.then(close, close);
    return turn;
  } catch (error) {
    close();
    throw error;
  }
}
