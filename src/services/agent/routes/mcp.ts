import { randomUUID } from "node:crypto";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { AgentQuestion } from "../../../agent/mcp/agent-mcp-server.ts";
import { loadOnce } from "../../../base/load-once.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { callMcp } from "../../../contract/operations/agent-turns.ts";
import { defineRoute } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { toTurnError } from "../turns/turn-answer.ts";
import { crashReporter } from "../wires/answer-stream.ts";
import { readTurnHeaders, refuseThread, withModelField, type TurnHeaders } from "../wires/read-turn.ts";

/** The headers of a request, for the MCP server that is created to answer it. */
interface RequestHeaders {
  readonly headers: TurnHeaders;
  readonly session: string | undefined;
}

/**
 * The agent as an MCP server over streamable HTTP, for other agents. Calls are independent: a session only lets a client cancel its
 * calls, and no state is kept for it.
 */
export const mcpRoute = defineRoute(callMcp, (services: AgentServices) => {
  const { turns, router, version, log } = services;
  // Indexed by the request, which the library passes to the factory.
  const requests = new WeakMap<Request, RequestHeaders>();
  const calls = createMcpCalls();
  // Loaded on first use: most processes never need it.
  const loadHandler = loadOnce(createHandler);

  async function ask(question: AgentQuestion, { headers, session }: RequestHeaders): Promise<string> {
    const { message, model_id, id, signal, onStep } = question;
    using call = session === undefined ? null : calls.begin({ owner: headers.owner, session, id });
    const start = () =>
      turns.start({
        ...headers,
        wire: "mcp",
        modelId: model_id,
        messages: [{ role: "user", content: message }],
        // There is no person who could approve a call.
        tools: headers.tools.filter((tool) => !tool.needsApproval),
        stream: false,
        thread: null,
      });
    const turn = await withModelField(start, { field: "model_id" });
    if (headers.onDisconnect !== "continue") turn.watch(call ? AbortSignal.any([signal, call.signal]) : signal);
    turn.listen(onStep);
    const outcome = await turn.outcome;
    if (!outcome.ok) throw toTurnError(turn, outcome.error);
    return outcome.reply.text || (outcome.reply.refusal ?? "");
  }

  async function createHandler(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { createAgentMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("../../../agent/mcp/agent-mcp-server.ts"),
    ]);
    return createMcpHandler(
      ({ requestInfo }) => {
        const request = requestInfo && requests.get(requestInfo);
        if (!request) throw new ServiceError("internal_error", "The request of an MCP call is not known.");
        const askAndReport = async (question: AgentQuestion) => {
          try {
            return await ask(question, request);
          } catch (error) {
            // The protocol reports a failed call as a result, so the error handler never sees it.
            crashReporter({ log, requestId: request.headers.requestId })(error);
            throw error;
          }
        };
        return createAgentMcpServer({ ask: askAndReport, models: router.list, version });
      },
      { onerror: (error) => log.debug({ err: error }, "mcp request") },
    );
  }

  return async (route) => {
    const { context } = route;
    const request = acceptingBoth(context.req.raw);
    refuseThread(context);
    const headers = readTurnHeaders(context, services);
    const session = route.header("mcp-session-id");
    requests.set(request, { headers, session });
    const parsedBody = await route.sent();
    if (session !== undefined)
      for (const id of cancelledCalls(parsedBody)) calls.cancel({ owner: headers.owner, session, id });
    // Each call of a batch is a turn and counts for the rate limit.
    for (const _call of batchedCalls(parsedBody).slice(1)) await context.get("countAgain")();
    const handler = await loadHandler();
    const response = await handler.fetch(request, { parsedBody });
    // The library asks for keep-alive even when the client or a stop of this service closes the connection.
    response.headers.delete("connection");
    // A notification (202) starts no session.
    if (isInitialize(parsedBody) && response.status === 200) response.headers.set("mcp-session-id", randomUUID());
    return response;
  };
});

/** A client that accepts anything, such as curl, gets what it would get for naming both media types. */
function acceptingBoth(request: Request): Request {
  const accept = request.headers.get("accept");
  if (accept !== null && accept !== "*/*") return request;
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

const isInitialize = (body: unknown) => (body as { method?: unknown } | null)?.method === "initialize";

/** The tool calls of a batch; empty for a body that is not a list. */
function batchedCalls(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) return [];
  return body.filter((message: unknown) => (message as { method?: unknown } | null)?.method === "tools/call");
}

/** Identifies a call: clients choose the ids and restart them in each session. */
interface McpCall {
  readonly owner: string | null;
  readonly session: string;
  readonly id: string | number;
}

/**
 * The running calls. Up to protocol revision 2025-11-25 a client cancels a call with a separate request and keeps the connection of
 * the call open.
 */
interface McpCalls {
  /** The signal aborts when the client cancels the call. Dispose when the call has ended. */
  begin(call: McpCall): Disposable & { readonly signal: AbortSignal };
  cancel(call: McpCall): void;
}

function createMcpCalls(): McpCalls {
  const running = new Map<string, AbortController>();
  const keyOf = ({ owner, session, id }: McpCall) => JSON.stringify([owner, session, id]);

  return {
    begin(call) {
      const key = keyOf(call);
      const controller = new AbortController();
      running.set(key, controller);
      return {
        signal: controller.signal,
        [Symbol.dispose]() {
          if (running.get(key) === controller) running.delete(key);
        },
      };
    },
    cancel: (call) => running.get(keyOf(call))?.abort(new Error("The client cancelled the call.")),
  };
}

/** The ids of the calls that a body cancels. */
function cancelledCalls(body: unknown): readonly McpCall["id"][] {
  return [body].flat().flatMap((message: unknown) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { requestId?: unknown } | null };
    const id = method === "notifications/cancelled" ? params?.requestId : undefined;
    return typeof id === "string" || typeof id === "number" ? [id] : [];
  });
}
