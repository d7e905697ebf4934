import { compact } from "../../../base/compact.ts";
import { createHash, randomBytes } from "node:crypto";
import { hostname, networkInterfaces } from "node:os";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { isRecord } from "../../../base/json.ts";
import { loadOnce } from "../../../base/load-once.ts";
import type { ServedAttempt, ServedWorld, WorldEndpoints } from "../../../contract/ports/world-endpoints.ts";
import type { RelayedRequest, RelayedResponse, WorldRelay } from "../../../contract/ports/world-relay.ts";
import { isLoopback } from "../../../settings/address.ts";

/** Where the endpoints of worlds are served. */
export const worldPath = "/worlds/";

/** The endpoints of this process, and the requests to them. */
export interface WorldServer extends WorldEndpoints {
  /** Answers a request below `worldPath`. `parsedBody` is the body, if it was read already. */
  fetch(request: Request, options?: { readonly parsedBody?: unknown }): Promise<Response>;
  /** Why an agent could not reach the endpoints of its attempts; null if it may. */
  problem(agent: string): string | null;
}

interface WorldServerOptions {
  /** The origin at which agents anywhere reach the services of this store; null without one. */
  readonly publicOrigin: () => string | null;
  /** The origin at which agents of this machine reach this process. */
  readonly origin: () => string | Promise<string>;
  /** Passes requests on between the processes of a store. Default: only those to the endpoints opened here are answered. */
  readonly relay?: () => WorldRelay;
  readonly version: string;
  /** Called with every call while no turn of its attempt is under way. */
  readonly onLate: (attempt: ServedAttempt) => void;
  readonly onError?: (error: unknown) => void;
}

interface Served extends ServedWorld {
  readonly attempt: ServedAttempt;
  readonly requests: { answered: number; refused: number };
}

/** Closed endpoints that are remembered, so that late calls are recognised and counted. */
const mostClosed = 10_000;

/**
 * Private MCP endpoints over streamable HTTP, one for each attempt. The address holds 256 random bits and is the only key. A call
 * after the end of the attempt is refused and counted.
 */
export function createWorldServer(options: WorldServerOptions): WorldServer {
  const { publicOrigin, origin, relay, version, onLate, onError = () => {} } = options;
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

  /** The address that an agent gets: one that reaches it from anywhere, else one of this machine. */
  async function originFor({ agent, origin: accepted }: ServedAttempt): Promise<string> {
    const known = publicOrigin();
    if (known !== null) return known;
    if (accepted !== undefined) return accepted;
    const own = await origin();
    if (agent !== undefined && !isOnThisMachine(agent)) throw new Error(unreachableFor(agent));
    return own;
  }

  async function answerHere(served: Served, request: Request, parsedBody: unknown): Promise<Response> {
    const response = await (await loadHandler()).fetch(request, parsedBody === undefined ? {} : { parsedBody });
    if (request.method === "POST") served.requests[response.status < 400 ? "answered" : "refused"] += 1;
    // The library asks for keep-alive even when this process closes the connection.
    response.headers.delete("connection");
    return response;
  }

  async function answerRelayed(token: string, { method, headers, body }: RelayedRequest): Promise<RelayedResponse> {
    const served = open.get(token);
    const request = new Request(
      `http://world${worldPath}${token}/mcp`,
      compact({
        method,
        headers,
        body: body !== undefined ? JSON.stringify(body) : undefined,
      }),
    );
    const response = await (served ? answerHere(served, request, body) : endedFor(closed.get(token), body));
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  }

  async function forward(token: string, request: Request, body: unknown): Promise<Response> {
    if (!relay || token === "") return unknownWorld();
    const headers = Object.fromEntries([...request.headers].filter(([name]) => relayedHeaders.has(name)));
    const asked: RelayedRequest = compact({ method: request.method, headers, body });
    const relayed = await relay().forward(idOf(token), asked, request.signal);
    if (relayed.outcome === "closed") return endedFor(relayed.attempt, body);
    if (relayed.outcome === "unreachable")
      return problem(503, "The process of this world does not answer: try again later.");
    if (relayed.outcome === "unknown") return unknownWorld();
    const { status, headers: answered, body: text } = relayed.response;
    return new Response(status === 204 || text === "" ? null : text, { status, headers: answered });
  }

  function endedFor(attempt: ServedAttempt | undefined, body: unknown): Response {
    if (!attempt) return unknownWorld();
    // A client that only takes leave has done nothing wrong.
    for (const message of [body].flat()) if (isRecord(message) && message["method"] === "tools/call") onLate(attempt);
    return problem(410, "The attempt of this world has ended: calls are no longer accepted.");
  }

  return {
    async open(world, attempt) {
      const token = randomBytes(32).toString("base64url");
      const url = `${await originFor(attempt)}${worldPath}${token}/mcp`;
      const served: Served = { ...world, attempt, requests: { answered: 0, refused: 0 } };
      open.set(token, served);
      await relay?.().open(idOf(token), attempt, (request) => answerRelayed(token, request));
      return {
        url,
        requests: () => ({ ...served.requests }),
        close() {
          open.delete(token);
          closed.set(token, attempt);
          const [oldest] = closed.keys();
          if (closed.size > mostClosed && oldest !== undefined) closed.delete(oldest);
          relay?.().close(idOf(token)).catch(onError);
        },
      };
    },
    async fetch(request, { parsedBody } = {}) {
      const token = tokenOf(request);
      const served = open.get(token);
      if (served) return answerHere(served, request, parsedBody);
      const body = parsedBody ?? (request.method === "POST" ? await request.json().catch(() => undefined) : undefined);
      return closed.has(token) ? endedFor(closed.get(token), body) : forward(token, request, body);
    },
    problem: (agent) => (publicOrigin() !== null || isOnThisMachine(agent) ? null : unreachableFor(agent)),
  };
}

/** The headers of a request that the protocol needs. */
const relayedHeaders = new Set(["accept", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id"]);

const idOf = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** The random part of an address; "" for one that is none of ours. */
function tokenOf({ url }: Pick<Request, "url">): string {
  const [token = "", end, ...more] = new URL(url).pathname.slice(worldPath.length).split("/");
  return end === "mcp" && more.length === 0 ? token : "";
}

function isOnThisMachine(url: string): boolean {
  const host = (URL.parse(url)?.hostname ?? "").toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(host) || host === hostname().toLowerCase()) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}

const unreachableFor = (agent: string): string =>
  `The agent at ${URL.parse(agent)?.host ?? agent} could not reach its world, whose address would be one of this machine alone: set REHEARSAL_EVAL_PUBLIC_URL to an address of the evaluation service that the agent can reach`;

const afterTurn = "Refused: this turn of the conversation has ended. Act only while you answer a message.";

function toListed({ name, description, parameters }: ServedWorld["tools"][number]) {
  return { name, description, inputSchema: { ...parameters, type: "object" as const } };
}

const unknownWorld = (): Response => problem(404, "There is no such world.");

function problem(status: number, detail: string): Response {
  const body = { jsonrpc: "2.0", id: null, error: { code: -32_000, message: detail } };
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
