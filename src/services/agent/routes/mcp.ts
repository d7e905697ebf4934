import { randomUUID } from "node:crypto";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import type { AgentQuestion } from "../../../agent/mcp/agent-mcp-server.ts";
import { loadOnce } from "../../../base/load-once.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { requireScope } from "../../http/auth/auth.ts";
import { readJson } from "../../http/body/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { readTurnHeaders, refuseThread, type TurnHeaders } from "../turns/read-turn-headers.ts";
import { toTurnError } from "../turns/turn-headers.ts";
import { crashReporter } from "../wires/answer-turn.ts";
import { createMcpCalls, takenBack } from "../wires/mcp-calls.ts";
import { namedModel } from "../wires/named-model.ts";

/** What a request that a server was made for says beside its body. */
interface Asking {
  readonly headers: TurnHeaders;
  readonly session: string | undefined;
}

/**
 * /mcp: the agent as an MCP server over streamable HTTP, for other agents to ask. Each call stands alone: a session is a name by
 * which a client can take its calls back, and nothing is kept for it.
 */
export function mcpRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, router, version, log } = dependencies;
  // By the request itself: the library hands it to the factory.
  const askings = new WeakMap<Request, Asking>();
  const calls = createMcpCalls();
  // Most starts never need it.
  const loadHandler = loadOnce(createHandler);

  async function ask(question: AgentQuestion, { headers, session }: Asking): Promise<string> {
    const { message, model_id, id, signal, onStep } = question;
    using call = session === undefined ? null : calls.begin({ owner: headers.owner, session, id });
    const start = () =>
      parts.turns.start({
        ...headers,
        wire: "mcp",
        modelId: model_id,
        messages: [{ role: "user", content: message }],
        // Nobody is there to approve anything.
        tools: headers.tools.filter((tool) => !tool.needsApproval),
        stream: false,
        thread: null,
      });
    const turn = await namedModel(start, { field: "model_id" });
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
        const asking = requestInfo && askings.get(requestInfo);
        if (!asking) throw new ServiceError("internal_error", "The request of an MCP call is not known.");
        const told = async (question: AgentQuestion) => {
          try {
            return await ask(question, asking);
          } catch (error) {
            // A call that failed is a result to the protocol: no handler of errors comes to see it.
            crashReporter({ log, requestId: asking.headers.requestId })(error);
            throw error;
          }
        };
        return createAgentMcpServer({ ask: told, models: router.list, version });
      },
      { onerror: (error) => log.debug({ err: error }, "mcp request") },
    );
  }

  return new Hono<ShellEnvironment>().post("/mcp", requireScope("agent"), async (context) => {
    const request = context.req.raw;
    refuseThread(context);
    const headers = readTurnHeaders(context, dependencies);
    const session = context.req.header("mcp-session-id");
    askings.set(request, { headers, session });
    const parsedBody = await readJson(context, bodyLimits);
    if (session !== undefined)
      for (const id of takenBack(parsedBody)) calls.takeBack({ owner: headers.owner, session, id });
    // Each question of a batch is a turn, and costs what it would cost by itself.
    for (const _call of toolCalls(parsedBody).slice(1)) await context.get("countAgain")();
    const handler = await loadHandler();
    const response = await handler.fetch(request, { parsedBody });
    // The library asks to keep the connection, also one that its client or a stop of this service wants closed.
    response.headers.delete("connection");
    // As a notification (202) it begins nothing.
    if (isInitialize(parsedBody) && response.status === 200) response.headers.set("mcp-session-id", randomUUID());
    return response;
  });
}

const isInitialize = (body: unknown) => (body as { method?: unknown } | null)?.method === "initialize";

/** The calls of a batch; a body that is no list is one call at most. */
function toolCalls(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) return [];
  return body.filter((message: unknown) => (message as { method?: unknown } | null)?.method === "tools/call");
}
