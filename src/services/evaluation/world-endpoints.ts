import { randomBytes } from "node:crypto";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { loadOnce } from "../../base/load-once.ts";
import type { ServedWorld, WorldEndpoints } from "../../contract/ports/world-endpoints.ts";

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
  /** Called with every call after the end of an attempt. `refused` counts those of the attempt. */
  readonly onLate: (late: { readonly run: string; readonly refused: number }) => void;
}

interface Served extends ServedWorld {
  readonly run: string;
}

/** Closed endpoints that are remembered, so that late calls are recognised and counted. */
const mostClosed = 10_000;

/**
 * Private MCP endpoints over streamable HTTP, one for each attempt. The address holds 256 random bits and is the only key. A call
 * after the end of the attempt is refused and counted.
 */
export function createWorldServer({ origin, version, onLate }: WorldServerOptions): WorldServer {
  const open = new Map<string, Served>();
  const closed = new Map<string, { readonly run: string; refused: number }>();
  /** Indexed by the request, which the library passes to the factory. */
  const served = new WeakMap<Request, Served>();
  // Loaded on first use: most processes never need it.
  const loadHandler = loadOnce(createHandler);

  async function createHandler(): Promise<McpHttpHandler> {
    const { createMcpHandler, Server } = await import("@modelcontextprotocol/server");
    return createMcpHandler(({ requestInfo }) => {
      const world = requestInfo && served.get(requestInfo);
      if (!world) throw new Error("The world of a request is not known.");
      const server = new Server({ name: "rehearsal-world", version }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: world.tools.map(toListed) }));
      server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
        const answer = await world.call(params.name, params.arguments, mcpReq.signal);
        const { text, isError } = answer ?? { text: afterTurn, isError: true };
        return { content: [{ type: "text", text }], isError };
      });
      return server;
    });
  }

  function refuse(token: string): Response {
    const late = closed.get(token);
    if (!late) return problem(404, "There is no such world.");
    late.refused += 1;
    onLate(late);
    return problem(410, "The attempt of this world has ended: calls are no longer accepted.");
  }

  return {
    async open(world, run) {
      const token = randomBytes(32).toString("base64url");
      open.set(token, { ...world, run });
      return {
        url: `${await origin()}${worldPath}${token}/mcp`,
        close() {
          open.delete(token);
          closed.set(token, { run, refused: 0 });
          const [oldest] = closed.keys();
          if (closed.size > mostClosed && oldest !== undefined) closed.delete(oldest);
        },
      };
    },
    async fetch(request, options = {}) {
      const [token = "", end, ...more] = new URL(request.url).pathname.slice(worldPath.length).split("/");
      const world = end === "mcp" && more.length === 0 ? open.get(token) : undefined;
      if (!world) return refuse(token);
      served.set(request, world);
      const response = await (await loadHandler()).fetch(request, options);
      // The library asks for keep-alive even when this process closes the connection.
      response.headers.delete("connection");
      return response;
    },
  };
}

const afterTurn = "Refused: this turn of the conversation has ended. Act only while you answer a message.";

function toListed({ name, description, parameters }: ServedWorld["tools"][number]) {
  return { name, description, inputSchema: { ...parameters, type: "object" as const } };
}

function problem(status: number, detail: string): Response {
  const body = { jsonrpc: "2.0", id: null, error: { code: -32_000, message: detail } };
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
