import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** One turn of an agent in its world. `number` counts the turns of all conversations, from 1. */
export type ActInWorld = (
  world: Client,
  message: string,
  number: number,
) => Promise<{ readonly status?: number; readonly reply: string }>;

/** A message as the agent's protocol has it: our contract, or a target's `{ "text": "…" }`. */
interface AgentRequest {
  readonly messages?: readonly { readonly content: string }[];
  readonly text?: string;
  readonly config?: { readonly mcp?: string };
}

interface WorldAgent extends AsyncDisposable {
  readonly url: string;
  /** The addresses of worlds that it got, one per turn; "" where there was none. */
  readonly worlds: readonly string[];
}

/** An agent with its own tool loop over HTTP, which takes the address of its world from the header x-my-world or a field. */
export async function startWorldAgent(act: ActInWorld): Promise<WorldAgent> {
  const worlds: string[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await readText(request)) as AgentRequest;
    const url = worldAddress(request.headers, body);
    const number = worlds.push(url);
    await using stack = new AsyncDisposableStack();
    const client = stack.adopt(new Client({ name: "agent", version: "1" }), (opened) => opened.close());
    if (url !== "") await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { status = 200, reply } = await act(client, body.text ?? body.messages?.at(-1)?.content ?? "", number);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "ai", content: reply }));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    worlds,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function worldAddress(headers: IncomingHttpHeaders, { config }: AgentRequest): string {
  return String(headers["x-my-world"] ?? config?.mcp ?? "");
}
