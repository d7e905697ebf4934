import { expect, onTestFinished, test, vi } from "vitest";
import type { HttpServer } from "../../src/agent/mcp/mcp-config.ts";
import { runAgent } from "../../src/agent/loop/agent-loop.ts";
import { asksFor, scriptedModel } from "../../src/agent/testing/scripted-model.ts";
import { Secret } from "../../src/base/secret.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import { outboundFetch } from "../../src/models/outbound/outbound-fetch.ts";
import { connectForTest, httpServer, startRawServer, type RawAnswer, type RawServer } from "./mcp-test-kit.ts";

const { signal } = new AbortController();
const tool = { name: "go", inputSchema: { type: "object" } };

/** Connects as the product does, through its own outbound client. */
async function connect(url: string, server: Partial<HttpServer> = {}) {
  const outbound = createOutbound({ maxReplyBytes: 100_000 });
  onTestFinished(() => outbound.close());
  return connectForTest([httpServer(url, server)], { fetch: outboundFetch(outbound, { policy: "local" }) });
}

async function callOnce(
  answer: RawAnswer,
  { tools = [tool], isModern, sessions, ...server }: Partial<HttpServer> & Partial<RawServer> = {},
) {
  const { mcp, log } = await connect(await startRawServer({ tools, isModern, sessions, answer }), server);
  const model = scriptedModel(asksFor("test__go", {}), "Done.");
  const messages = [{ role: "user", content: "Go." }] as const;
  const { tool_calls } = await runAgent({ model, messages, tools: mcp.tools(), signal });
  return { call: tool_calls[0], log, mcp };
}

const startStream: RawAnswer = (_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n");
  return null;
};
const lost = 'The answer of the MCP server "test" broke off. It is not known whether the call was carried out.';

test.each([
  ["ends", (response) => response.end()],
  ["breaks", (response) => response.destroy()],
  ["is too large", (response) => response.end(`data: ${"x".repeat(200_000)}\n\n`)],
] satisfies [string, (response: Parameters<RawAnswer>[1]) => unknown][])(
  "a stream that %s without the answer fails at once, and the server stays",
  async (_, end) => {
    const { call, mcp } = await callOnce((request, response) => {
      startStream(request, response);
      setTimeout(() => end(response), 20);
      return null;
    });
    expect(call).toMatchObject({ ok: false, result: lost });
    expect(mcp.status()).toMatchObject([{ connected: true }]);
  },
);

test("an answer that is too large is called that, and the server stays", async () => {
  const { call, mcp } = await callOnce(() => ({ content: [{ type: "text", text: "x".repeat(200_000) }] }));
  expect(call).toMatchObject({ ok: false, result: 'The answer of the MCP server "test" is too large to be read.' });
  expect(mcp.status()).toMatchObject([{ connected: true }]);
});

test.each([
  ["a page", "text/html", "<html>"],
  ["half a document", "application/json", '{"jsonrpc":'],
  ["nothing", "application/json", ""],
  ["no message", "application/json", '{"jsonrpc":"2.0","id":null,"result":null}'],
])("%s in place of an answer is called that, and the server stays", async (_, type, body) => {
  const { call, mcp, log } = await callOnce((_request, response) => {
    response.setHeader("content-type", type).end(body);
    return null;
  });
  const result = 'The MCP server "test" sent an unreadable answer. It is not known whether the call was carried out.';
  expect(call).toMatchObject({ ok: false, result });
  expect(mcp.status()).toMatchObject([{ connected: true }]);
  expect(log.lines.map(({ message }) => message)).toEqual(["mcp server connected"]);
});

test.each([
  [404, -32601, undefined],
  [400, -32602, undefined],
  [400, -32602, ["first"]],
])(
  "a call that is refused with HTTP %i and error %i is not sent twice, and the server stays",
  async (status, code, sessions) => {
    let calls = 0;
    const answer: RawAnswer = ({ id }, response) => {
      calls += 1;
      const error = { code, message: "No such room" };
      response.writeHead(status).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
      return null;
    };
    const { call, mcp } = await callOnce(answer, { sessions });
    expect(call).toMatchObject({ ok: false, result: `The MCP server "test" answered HTTP ${status}: No such room.` });
    expect(calls).toBe(1);
    expect(mcp.status()).toMatchObject([{ connected: true }]);
  },
);

test.each([404, 400])(
  "a server that has lost the session (%i) is given a new one, and the call reaches it",
  async (status) => {
    const sessions: unknown[] = [];
    const { call } = await callOnce(
      ({ session }, response) => {
        sessions.push(session);
        if (session === "second") return { content: [{ type: "text", text: "Went." }] };
        response
          .writeHead(status)
          .end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "?" } }));
        return null;
      },
      { sessions: ["first", "second"] },
    );
    expect(call).toMatchObject({ ok: true, result: "Went." });
    expect(sessions).toEqual(["first", "second"]);
  },
);

test("the text of a refused status reaches the model", async () => {
  const { call } = await callOnce(({ id }, response) => {
    const error = { code: -32603, message: "The database is down" };
    response.writeHead(500).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    return null;
  });
  expect(call).toMatchObject({ ok: false, result: 'The MCP server "test" answered HTTP 500: The database is down.' });
});

test.each([
  ["other structured content", { structuredContent: { count: "many" } }, '\n\n{"count":"many"}'],
  ["no structured content", {}, ""],
])(
  "a result with %s, which its tool did not promise, is shown: the call is carried out by then",
  async (_, extra, shown) => {
    const outputSchema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
    const answer: RawAnswer = () => ({ content: [{ type: "text", text: "Paid." }], ...extra });
    const { call } = await callOnce(answer, { tools: [{ ...tool, outputSchema }] });
    expect(call).toMatchObject({ ok: true, result: `Paid.${shown}` });
  },
);

test.each([
  ["content of an unknown kind", { content: [{ type: "video", data: "A" }] }, /^\[content of an unknown kind\]/],
  [
    "null for what is not there",
    { content: [{ type: "text", text: "Paid.", annotations: null }], _meta: {} },
    /^Paid\.$/,
  ],
  ["a structured list alone", { structuredContent: [1, 2] }, /^\[1,2\]$/],
  ["a text for content", { content: "Paid." }, /^Paid\.$/],
])("a result with %s is shown: the call is carried out by then", async (_, result, shown) => {
  for (const isModern of [false, true]) {
    const { call } = await callOnce(() => ({ resultType: "complete", ...result }), { isModern });
    expect(call).toMatchObject({ ok: true, result: expect.stringMatching(shown) });
  }
});

test("a server that asks for input differs from one that gave a result", async () => {
  const answer: RawAnswer = () => ({ resultType: "input_required", requestState: "1" });
  const { call } = await callOnce(answer, { isModern: true });
  expect(call).toMatchObject({
    ok: false,
    result: 'The MCP server "test" asks for input, which this agent does not support.',
  });
});

const blamesToken = { code: -32603, message: "Not allowed with sk-123456" };

test.each([
  ["a result", { result: { content: [{ type: "text", text: "You sent Bearer sk-123456." }] } }, 200],
  ["a failed result", { result: { content: [{ type: "text", text: "Token sk-123456 is old" }], isError: true } }, 200],
  ["an error", { error: blamesToken }, 200],
  ["a refused status", { error: blamesToken }, 500],
])("the operator's credential is not in %s that the model reads", async (_, part, status) => {
  const answer: RawAnswer = ({ id }, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...part }));
    return null;
  };
  const { call } = await callOnce(answer, { secrets: [new Secret("Bearer sk-123456")] });
  expect(call?.result).toContain("[redacted]");
  expect(call?.result).not.toContain("123456");
});

test("nor is a part of it where what the server says is cut", async () => {
  const answer: RawAnswer = ({ id }, response) => {
    const error = { code: -32603, message: `${"x".repeat(292)} sk-123456` };
    response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    return null;
  };
  const { call } = await callOnce(answer, { secrets: [new Secret("Bearer sk-123456")] });
  expect(call?.result).toMatch(/x \[redact…\.$/);
});

test("the operator's credential is not in what the model reads about a tool", async () => {
  const described = [{ ...tool, description: "Asks the shop with sk-123456." }];
  const { mcp } = await callOnce(() => ({ content: [] }), { tools: described, secrets: [new Secret("sk-123456")] });
  expect(mcp.tools().map(({ definition }) => definition.description)).toEqual(["Asks the shop with [redacted]."]);
});

test("a server without tools is connected without a word on standard output", async () => {
  const write = vi.spyOn(console, "debug").mockImplementation(() => {});
  onTestFinished(() => write.mockRestore());
  const { mcp } = await connect(await startRawServer({ answer: () => null }));
  expect(mcp.status()).toMatchObject([{ connected: true, tools: [] }]);
  expect(write).not.toHaveBeenCalled();
});

test("an address without a streamable HTTP endpoint has another error than one that is down", async () => {
  const url = await startRawServer({ answer: () => null });
  const { log } = await connect(url.replace("/mcp", "/sse"));
  expect(log.lines[0]?.fields["reason"]).toBe("it answered HTTP 404; is this its streamable HTTP endpoint?");
});
