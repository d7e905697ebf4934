import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** The fields that targets of the tests send. */
type AgentQuestion = Readonly<Record<"text" | "session" | "say" | "id", string | undefined>>;

interface FakeAgent extends AsyncDisposable {
  readonly url: string;
  /** The requests in the order in which they came. */
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: AgentQuestion }[];
}

/** An agent with an HTTP interface of its own. `answer` returns the status and the body of the response. */
export async function startFakeAgent(
  answer: (body: AgentQuestion, headers: IncomingHttpHeaders) => { status?: number; body: unknown },
): Promise<FakeAgent> {
  const requests: FakeAgent["requests"] = [];
  const server = createServer(async (request, response) => {
    const text = (await Array.fromAsync(request)).join("");
    const body = text === "" ? null : JSON.parse(text);
    requests.push({ headers: request.headers, body });
    const { status = 200, body: content } = answer(body, request.headers);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
