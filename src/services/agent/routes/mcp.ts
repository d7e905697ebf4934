import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { ServiceError } from "../../../contract/service-error.ts";
import { requireScope } from "../../http/auth.ts";
import { readJson } from "../../http/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentParts } from "../agent-parts.ts";
import type { AgentDependencies } from "../dependencies.ts";
import { readTurnHeaders, refuseThread, type TurnHeaders } from "../turns/read-turn-headers.ts";
import { toTurnError } from "../turns/turn-headers.ts";
import { namedModel } from "../wires/named-model.ts";

/** /mcp: the agent as an MCP server over streamable HTTP, for other agents to ask. No sessions: each call stands alone. */
export function mcpRoute(dependencies: AgentDependencies, parts: AgentParts): Hono<ShellEnvironment> {
  const { bodyLimits, router, version, log } = dependencies;
  // Headers of the request that a server was made for, by that request: the library hands it to the factory.
  const headersOf = new WeakMap<Request, TurnHeaders>();
  let handler: Promise<McpHttpHandler> | undefined;

  async function ask(
    { message, model_id, signal }: { message: string; model_id: string; signal: AbortSignal },
    headers: TurnHeaders,
  ): Promise<string> {
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
    if (headers.onDisconnect === "continue") turn.keep();
    else turn.watch(signal);
    const outcome = await turn.outcome;
    if (!outcome.ok) throw toTurnError(turn, outcome.error);
    return outcome.reply.text || (outcome.reply.refusal ?? "");
  }

  // Loaded when it is first asked for: most starts never need it.
  async function createHandler(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { createAgentMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("../../../agent/mcp-server/create-agent-mcp-server.ts"),
    ]);
    return createMcpHandler(
      ({ requestInfo }) => {
        const headers = requestInfo && headersOf.get(requestInfo);
        if (!headers) throw new ServiceError("internal_error", "The request of an MCP call is not known.");
        return createAgentMcpServer({ ask: (question) => ask(question, headers), models: router.list, version });
      },
      { onerror: (error) => log.debug({ err: error }, "mcp request") },
    );
  }

  return new Hono<ShellEnvironment>().post("/mcp", requireScope("agent"), async (context) => {
    const request = context.req.raw;
    refuseThread(context);
    headersOf.set(request, readTurnHeaders(context, dependencies));
    const parsedBody = await readJson(context, bodyLimits);
    // Each question of a batch is a turn, and costs what it would cost by itself.
    for (const _call of toolCalls(parsedBody).slice(1)) context.get("countAgain")();
    handler ??= createHandler();
    return (await handler).fetch(request, { parsedBody });
  });
}

/** The calls of a batch; a body that is no list is one call at most. */
function toolCalls(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) return [];
  return body.filter((message: unknown) => (message as { method?: unknown } | null)?.method === "tools/call");
}
