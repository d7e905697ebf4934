import { expect, test, vi } from "vitest";
import { runAgent } from "../../src/agent/loop/agent-loop.ts";
import { asksFor, scriptedModel } from "../../src/agent/testing/scripted-model.ts";
import { connectForTest, httpServer, rawStdio, startRawServer, type RecordedLog } from "./mcp-test-kit.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "Go." }] as const;
const inputSchema = { type: "object" };
const good = { name: "go", inputSchema };
const answer = () => ({ resultType: "complete", content: [{ type: "text", text: "Went." }] });

async function connect(
  raw: Omit<Parameters<typeof startRawServer>[0], "answer">,
  { pins = null as string | null } = {},
) {
  return connectForTest([httpServer(await startRawServer({ ...raw, answer }))], { fetch, pins });
}

const warnings = (log: RecordedLog) => log.lines.filter(({ message }) => message !== "mcp server connected");

const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`);

test.each([
  ["it has no inputSchema", { name: "bad" }],
  ["it has no inputSchema", { name: "bad", inputSchema: null }],
  ["its inputSchema is not an object", { name: "bad", inputSchema: "object" }],
  ['its inputSchema is of type "any", and must be of type "object"', { name: "bad", inputSchema: { type: "any" } }],
  ["the properties of its inputSchema are not an object", { name: "bad", inputSchema: { properties: [] } }],
  ["`required` of its inputSchema is not a list of names", { name: "bad", inputSchema: { required: "a" } }],
  ["its description is not a text", { name: "bad", inputSchema, description: ["Does things"] }],
  ["it is nested too deep", { name: "bad", inputSchema: { type: "object", properties: deep } }],
  [
    "it can only be run as a task, which is not supported",
    { name: "bad", inputSchema, execution: { taskSupport: "required" } },
  ],
  ["its name is not a text", { name: 5, inputSchema }, "number 1 of its list"],
  ["it is not an object", null, "number 1 of its list"],
])("a server loses only the tool that is wrong: %s", async (reason, bad, tool = "bad") => {
  for (const isModern of [false, true]) {
    const { mcp, log } = await connect({ tools: [bad, good], isModern });
    expect(mcp.status()).toMatchObject([{ connected: true, tools: ["test__go"], unusable: [{ tool, reason }] }]);
    expect(warnings(log)).toEqual([{ message: "mcp tool cannot be used", fields: { server: "test", tool, reason } }]);

    const model = scriptedModel(asksFor("test__go", {}), "Done.");
    const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
    expect(outcome.tool_calls).toMatchObject([{ ok: true, result: "Went." }]);
  }
});

test.each([
  ["null for what is not there", { ...good, title: null, description: null, annotations: null, outputSchema: null }],
  ["null in its schema", { name: "go", inputSchema: { type: "object", properties: null, required: null } }],
  ["a schema that does not say that it is of an object", { name: "go", inputSchema: {} }],
  ["a slip in what we do not read", { ...good, outputSchema: { type: 5 }, icons: "none", annotations: { title: 1 } }],
])("a tool with %s can be used", async (_, tool) => {
  for (const isModern of [false, true]) {
    const { mcp, log } = await connect({ tools: [tool], isModern });
    expect(mcp.status()).toMatchObject([{ tools: ["test__go"], unusable: [] }]);
    expect(mcp.tools()[0]?.definition.parameters).toEqual({ type: "object", properties: {} });
    expect(warnings(log)).toEqual([]);
  }
});

test.each([
  { serverInfo: { name: "no version" } },
  { serverInfo: null, instructions: null },
  { capabilities: { tools: { listChanged: null }, prompts: null, logging: true } },
  { capabilities: { tools: true, experimental: { x: true } } },
])("a slip in what a server says of itself costs nothing: %j", async (welcome) => {
  const { mcp } = await connect({ tools: [good], welcome });
  expect(mcp.status()).toMatchObject([{ connected: true, protocol_version: "2025-06-18", tools: ["test__go"] }]);
});

test("a server of a revision that we do not speak is called that", async () => {
  const { log } = await connect({ tools: [good], welcome: { protocolVersion: "1999-01-01" } });
  const reason = "Server's protocol version is not supported: 1999-01-01";
  expect(log.lines[0]).toMatchObject({ message: "mcp server cannot be reached", fields: { server: "test", reason } });
});

test("a schema that cannot be compiled is said where the server's state is shown", async () => {
  const elsewhere = { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } };
  const dialect = { $schema: "https://example.com/own-dialect", type: "object" };
  const pattern = { type: "object", properties: { a: { type: "string", pattern: "(?<!x)\\Q\\p{Unheard}" } } };
  const tools = [
    { name: "elsewhere", inputSchema: elsewhere },
    { name: "dialect", inputSchema: dialect },
    { name: "pattern", inputSchema: pattern },
  ];
  const { mcp } = await connect({ tools });
  expect(mcp.status()).toMatchObject([
    {
      tools: ["test__dialect", "test__pattern"],
      unusable: [{ tool: "elsewhere", reason: expect.stringContaining("https://example.com/a.json") }],
    },
  ]);
});

test("of two tools with one name the first is used, and the other one is named", async () => {
  const { mcp, log } = await connect({ tools: [good, { ...good, description: "Goes elsewhere." }] });
  const lost = { tool: "go", reason: "the server has another tool of this name" };
  expect(mcp.tools().map(({ definition }) => definition.description)).toEqual(["go"]);
  expect(mcp.status()).toMatchObject([{ tools: ["test__go"], unusable: [lost] }]);
  expect(warnings(log)).toEqual([{ message: "mcp tool cannot be used", fields: { server: "test", ...lost } }]);
});

test("an argument whose name providers refuse has another one for the model, and its own for the server", async () => {
  const properties = { $top: { type: "integer" } };
  const url = await startRawServer({
    tools: [{ name: "list", inputSchema: { type: "object", properties, required: ["$top"] } }],
    answer: (request) => ({ content: [{ type: "text", text: JSON.stringify(request) }] }),
  });
  const { mcp } = await connectForTest([httpServer(url)], { fetch });
  expect(mcp.tools()[0]?.definition.parameters).toMatchObject({ properties: { top: { type: "integer" } } });
  const model = scriptedModel(asksFor("test__list", { top: 3 }), "Done.");
  const outcome = await runAgent({ model, messages, tools: mcp.tools(), signal });
  expect(outcome.tool_calls).toMatchObject([{ ok: true, result: expect.stringContaining('"arguments":{"$top":3}') }]);
});

test("a header that cannot be sent costs only its tool", async () => {
  const quiet = vi.spyOn(console, "warn").mockImplementation(() => {});
  const wrong = { type: "object", properties: { a: { type: "object", "x-mcp-header": "A" } } };
  const { mcp } = await connect({ tools: [{ name: "bad", inputSchema: wrong }, good], isModern: true });
  quiet.mockRestore();
  const lost = { tool: "bad", reason: "its x-mcp-header declarations are not valid" };
  expect(mcp.status()).toMatchObject([{ tools: ["test__go"], unusable: [lost] }]);
});

const named = (name: unknown) => ({ name: String(name), inputSchema });

test.each<[string, (cursor: string | undefined) => object]>([
  ["leads in a circle", (cursor = "start") => ({ tools: [named(cursor)], nextCursor: cursor === "a" ? "b" : "a" })],
  ["is the same for the whole list", () => ({ tools: [named("start"), named("a"), named("b")], nextCursor: "a" })],
  ["is null at the end", () => ({ tools: [named("start"), named("a"), named("b")], nextCursor: null })],
  ["is empty at the end", () => ({ tools: [named("start"), named("a"), named("b")], nextCursor: "" })],
])("a list whose cursor %s is read once", async (_, list) => {
  const { mcp, log } = await connect({ list });
  expect(mcp.status()).toMatchObject([{ tools: ["test__start", "test__a", "test__b"], unusable: [] }]);
  expect(warnings(log)).toEqual([]);
});

test("one cursor for pages that differ is followed", async () => {
  let page = 0;
  const list = () => ({ tools: [named(page)], ...(page++ < 3 && { nextCursor: "more" }) });
  const { mcp } = await connect({ list });
  expect(mcp.status()[0]?.tools).toEqual(["test__0", "test__1", "test__2", "test__3"]);
});

test("a list without an end is read for a while, and that is said", async () => {
  const list = (cursor = "0") => ({ tools: [named(cursor)], nextCursor: String(Number(cursor) + 1) });
  const { mcp, log } = await connect({ list });
  expect(mcp.status()[0]?.tools).toHaveLength(64);
  const message = "mcp tool list is too long: the rest is not read";
  expect(warnings(log)).toEqual([{ message, fields: { server: "test", pages: 64 } }]);
});

test("tools that change at run time are held to the same rules, and reported once", async () => {
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const result = { jsonrpc: "2.0", id: "$id", result: answer() };
  const server = rawStdio({
    pages: [{ tools: [good] }, { tools: [good, { name: "bad" }] }],
    calls: [[changed, result]],
  });
  const { mcp, log } = await connectForTest([server]);
  const lost = { tool: "bad", reason: "it has no inputSchema" };
  const go = () => mcp.tools()[0]?.run({}, { signal, now: Date.now });

  expect(await go()).toBe("Went.");
  await vi.waitFor(() => expect(mcp.status()).toMatchObject([{ tools: ["test__go"], unusable: [lost] }]), 60_000);
  expect(await go()).toBe("Went.");
  expect(warnings(log)).toEqual([{ message: "mcp tool cannot be used", fields: { server: "test", ...lost } }]);
});

test("a change that cannot be read is said, and the tools stay", async () => {
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const result = { jsonrpc: "2.0", id: "$id", result: answer() };
  const { mcp, log } = await connectForTest([rawStdio({ pages: [{ tools: [good] }, {}], calls: [[changed, result]] })]);
  await mcp.tools()[0]?.run({}, { signal, now: Date.now });
  await vi.waitFor(() => expect(warnings(log)).toHaveLength(1), 60_000);
  expect(warnings(log)).toMatchObject([
    {
      message: "mcp tools could not be listed",
      fields: { server: "test", reason: expect.stringContaining("tools/list") },
    },
  ]);
  expect(mcp.status()).toMatchObject([{ connected: true, tools: ["test__go"] }]);
});

test("a server that says all the time that its tools have changed is asked for them now and then", async () => {
  const pages = [{ tools: [] }, { tools: [good] }];
  const { mcp } = await connectForTest([rawStdio({ pages, isRestless: true })]);
  await vi.waitFor(() => expect(mcp.status()).toMatchObject([{ tools: ["test__go"] }]), { timeout: 5000 });
});

test("tools that the operator names and the server lacks are reported once, however often the server is asked", async () => {
  const pages = [{ tools: [good] }, { tools: [good] }, { tools: [good, named("late")] }];
  const server = rawStdio({ pages, isRestless: true }, { allow: ["go", "late", "fly"] });
  const { mcp, log } = await connectForTest([server]);
  await vi.waitFor(() => expect(mcp.status()[0]?.refused).toEqual([{ tool: "late", reason: "new" }]), {
    timeout: 5000,
  });
  expect(log.lines.filter(({ message }) => message === "mcp server does not have these tools")).toMatchObject([
    { fields: { server: "test", tools: ["late", "fly"] } },
  ]);
});
