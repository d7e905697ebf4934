import { randomBytes } from "node:crypto";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { isRecord } from "../../base/json.ts";
import { loadOnce } from "../../base/load-once.ts";
import type { ServedAttempt, ServedWorld, WorldEndpoints } from "../../contract/ports/world-endpoints.ts";

/** Where the endpoints of worlds are served. */
export const worldPath = "/worlds/";

/** The endpoints of this process, and the requests to them. */
export interface WorldServer extends WorldEndpoints {
  /** Answers a request below `worldPath`. `parsedBody` is the body, if it was read already. */
  fetch(request: Request, options?: { readonly parsedBody?: unknown }): Promise<Response>;
}

interface WorldServerOptions {
  /** The origin at which agents reach this process. */
  readonly origin: () => string | Promise<string>;
  readonly version: string;
  /** Called with every call while no turn of its attempt is under way. */
  readonly onLate: (attempt: ServedAttempt) => void;
}

interface Served extends ServedWorld {
  readonly attempt: ServedAttempt;
}

/** Closed endpoints that are remembered, so that late calls are recognised and counted. */
const mostClosed = 10_000;

/**
 * Private MCP endpoints over streamable HTTP, one for each attempt. The address holds 256 random bits and is the only key. A call
 * after the end of the attempt is refused and counted.
 */
export function createWorldServer({ origin, version, onLate }: WorldServerOptions): WorldServer {
  const open = new Map<string, Served>();
  const closed = new Map<string, ServedAttempt>();
  // Loaded on first use: most processes never need it.
  const loadHandler = loadOnce(createHandler);

  async function createHandler(): Promise<McpHttpHandler> {
    const { createMcpHandler, Server } = await import("@modelcontextprotocol/server");
    return createMcpHandler(({ requestInfo }) => {
      // The library may pass a copy of the request, so the world is found by the address.
      const world = requestInfo && open.get(tokenOf(requestInfo));
      if (!world) throw new Error("The world of a request is not known.");
      const server = new Server({ name: "rehearsal-world", version }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: world.tools.map(toListed) }));
      server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
        const answer = await world.call(params.name, params.arguments, mcpReq.signal);
        if (!answer) onLate(world.attempt);
        const { text, isError } = answer ?? { text: afterTurn, isError: true };
        return { content: [{ type: "text", text }], isError };
      });
      return server;
    });
  }

  async function refuse(token: string, request: Request, parsedBody: unknown): Promise<Response> {
    const late = closed.get(token);
    if (!late) return problem(404, "There is no such world.");
    const body = parsedBody ?? (request.method === "POST" ? await request.json().catch(() => null) : null);
    // A client that only takes leave has done nothing wrong.
    for (const message of [body].flat()) if (isRecord(message) && message["method"] === "tools/call") onLate(late);
    return problem(410, "The attempt of this world has ended: calls are no longer accepted.");
  }

  return {
    async open(world, attempt) {
      const token = randomBytes(32).toString("base64url");
      open.set(token, { ...world, attempt });
      return {
        url: `${await origin()}${worldPath}${token}/mcp`,
        close() {
          open.delete(token);
          closed.set(token, attempt);
          const [oldest] = closed.keys();
          if (closed.size > mostClosed && oldest !== undefined) closed.delete(oldest);
        },
      };
    },
    async fetch(request, options = {}) {
      const token = tokenOf(request);
      if (!open.has(token)) return refuse(token, request, options.parsedBody);
      const response = await (await loadHandler()).fetch(request, options);
      // The library asks for keep-alive even when this process closes the connection.
      response.headers.delete("connection");
      return response;
    },
  };
}

/** The random part of an address; "" for one that is none of ours. */
function tokenOf({ url }: Pick<Request, "url">): string {
  const [token = "", end, ...more] = new URL(url).pathname.slice(worldPath.length).split("/");
  return end === "mcp" && more.length === 0 ? token : "";
}

const afterTurn = "Refused: this turn of the conversation has ended. Act only while you answer a message.";

function toListed({ name, description, parameters }: ServedWorld["tools"][number]) {
  return { name, description, inputSchema: { ...parameters, type: "object" as const } };
}

function problem(status: number, detail: string): Response {
  const body = { jsonrpc: "2.0", id: null, error: { code: -32_000, message: detail } };
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
