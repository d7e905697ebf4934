import { expect, test } from "vitest";
import type { ChatMessage, ChatOptions } from "../../contract/ports/chat-model.ts";
import { Target } from "../../contract/schemas/acting/target.ts";
import type { Outbound, OutboundRequest, OutboundResult } from "../outbound/outbound.ts";
import { httpTarget } from "./http-target.ts";
import { setAt } from "../adapters/reply/json-values.ts";
import { isStateless, targetProblems, valuesAt } from "./template.ts";

const messages: readonly ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "One?" },
  { role: "assistant", content: "1" },
  { role: "user", content: "Two & three?" },
];

/** Asks a target once. `answer` is its body, streamed if it begins like a stream. */
async function ask(
  given: Partial<Target>,
  answer: unknown,
  options: Partial<ChatOptions> = {},
  type = "application/json",
  said = "Two & three?",
) {
  const sent: OutboundRequest[] = [];
  const body = typeof answer === "string" ? answer : JSON.stringify(answer);
  const common = { ok: true, status: 200, headers: { "content-type": type }, tries: 1, startedAt: 0 } as const;
  async function* stream() {
    yield Buffer.from(body);
  }
  const result: OutboundResult = type.startsWith("text/event-stream")
    ? { ...common, kind: "stream", stream: stream() }
    : { ...common, kind: "body", body };
  const outbound = {
    maxEventBytes: 10_000,
    request: async (request: OutboundRequest) => {
      sent.push(request);
      return result;
    },
  } as unknown as Outbound;
  const target = Target.parse({ url: "http://bot.test/chat", body: { q: "{{message}}" }, ...given });
  const model = httpTarget({ outbound, endpoint: target.url, modelId: "m-1", target });
  const asked = messages.map((message) =>
    message.content === "Two & three?" ? { ...message, content: said } : message,
  );
  const reply = await model(
    { messages: asked as typeof messages },
    { signal: new AbortController().signal, session: { id: "s-1" }, ...options },
  );
  return { reply, sent: sent[0] };
}

test("fills the body, the URL and the headers in", async () => {
  const { sent } = await ask(
    {
      url: "http://bot.test/{{session_id}}/chat?q={{message}}",
      headers: { "X-Session": "{{session_id}}", "x-fixed": "yes" },
      body: {
        all: "{{messages}}",
        before: "{{ history }}",
        text: "User says: {{message}} ({{model}})",
        system: "{{system}}",
        tools: "{{tools}}",
        list: ["{{message}}", "{{tools}}"],
        kept: { number: 1, none: null },
      },
    },
    {},
  );
  expect(sent).toMatchObject({
    url: "http://bot.test/s-1/chat?q=Two%20%26%20three%3F",
    method: "POST",
    headers: { "x-session": "s-1", "x-fixed": "yes" },
    idempotent: true,
  });
  expect(JSON.parse(String(sent?.body))).toEqual({
    all: messages,
    before: messages.slice(0, 3),
    text: "User says: Two & three? (m-1)",
    system: "Be brief.",
    list: ["Two & three?"],
    kept: { number: 1, none: null },
  });
});

// A gigabyte of text ended the process, and a text of more is a RangeError.
test("a template that repeats a long conversation makes no call", async () => {
  const long = "x".repeat(2_000_000);
  const once = await ask({ body: { q: "{{message}}", all: "{{messages}}" } }, "Yes", {}, "text/plain", long);
  expect(once.sent?.body).toContain(long);
  const { reply, sent } = await ask({ body: { q: Array(150).fill("{{message}}") } }, "Yes", {}, "text/plain", long);
  expect(sent).toBeUndefined();
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_rejected", retryable: false } });
});

test("sends a form, a text and a GET", async () => {
  const form = await ask(
    { headers: { "content-type": "application/x-www-form-urlencoded" }, body: { Body: "{{message}}" } },
    "x",
  );
  expect(form.sent?.body).toBe("Body=Two+%26+three%3F");
  const text = await ask({ headers: { "content-type": "text/plain" }, body: "> {{message}}" }, "x");
  expect(text.sent?.body).toBe("> Two & three?");
  const get = await ask(
    { method: "GET", body: undefined, url: "http://bot.test/?q={{message}}" },
    "the reply",
    {},
    "text/plain",
  );
  expect(get.sent?.body).toBeUndefined();
  expect(get.reply).toMatchObject({ ok: true, text: "the reply" });
});

test("reads the reply, tool calls, usage, labels, passages and session by their pointers", async () => {
  const answer = {
    messages: [{ text: "First." }, { text: "Second." }],
    steps: [
      { function: { name: "find", arguments: '{"id":1}' }, id: "c1", result: [1] },
      { tool_name: "send", tool_input: { to: "x" }, error: "no such user" },
      { note: "not a call" },
    ],
    meta: { tokens: { promptTokens: 5, completionTokens: 7 }, intent: { label: "order" } },
    conversation: 77,
    sources: [
      { page_content: "Open at 7.", metadata: { source: "hours.md" }, score: 0.8 },
      "Closed on Sunday.",
      { id: 3 },
    ],
  };
  const { reply } = await ask(
    {
      body: { q: "{{message}}", id: "{{session_id}}" },
      reply: "/messages/*/text",
      tool_calls: "/steps",
      usage: "/meta/tokens",
      labels: "/meta/intent",
      session: "/conversation",
      context: { at: "/sources" },
    },
    answer,
  );
  expect(reply).toMatchObject({
    text: "First.\n\nSecond.",
    tool_calls: [],
    reported_calls: [
      { id: "c1", name: "find", arguments: '{"id":1}', result: [1] },
      { name: "send", arguments: '{"to":"x"}', error: "no such user" },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
    metadata: { label: "order" },
    session_id: "77",
    context: [{ text: "Open at 7.", source: "hours.md", score: 0.8 }, { text: "Closed on Sunday." }],
  });
});

test("leaves the session out of the first turn when the target makes it, and sends it later", async () => {
  const given = { body: { q: "{{message}}", id: "{{session_id}}" }, reply: "/r", session: "/id" } as const;
  const first = await ask(given, { r: "x", id: "made" });
  expect(JSON.parse(String(first.sent?.body))).toEqual({ q: "Two & three?" });
  const later = await ask(given, { r: "x", id: "made" }, { session: { id: "s-1", issued: "made" } });
  expect(JSON.parse(String(later.sent?.body))).toEqual({ q: "Two & three?", id: "made" });
});

test("keeps calls for the world where it is offered tools", async () => {
  const { reply } = await ask(
    { body: { m: "{{messages}}", t: "{{tools}}" }, reply: "/r", tool_calls: "/calls" },
    {
      calls: [
        { id: "1", name: "find", arguments: {} },
        { name: "own", args: {}, result: 1 },
      ],
    },
  );
  expect(reply).toMatchObject({ text: "", tool_calls: [{ id: "1", name: "find" }], reported_calls: [{ name: "own" }] });
});

test("reads a stream of events and of lines", async () => {
  const pieces: string[] = [];
  const events =
    'event: token\ndata: {"d":{"t":"Hel"}}\n\nevent: token\ndata: {"d":{"t":"lo"}}\n\nevent: end\ndata: {"u":{"input_tokens":2}}\n\ndata: [DONE]\n\n';
  const given = { body: { q: "{{message}}", s: "{{stream}}" }, reply: "/r", usage: "/u", stream: { delta: "/d/t" } };
  const streamed = await ask(given, events, { onText: (text) => pieces.push(text) }, "text/event-stream");
  expect(streamed.reply).toMatchObject({ text: "Hello", usage: { prompt_tokens: 2 } });
  expect(pieces).toEqual(["Hel", "lo"]);
  expect(streamed.sent).toMatchObject({ acceptStream: true, body: '{"q":"Two & three?","s":true}' });
  const lines = await ask(
    { reply: "/r", stream: { delta: "/d" } },
    '{"d":"a"}\n{"d":"b"}\n',
    {},
    "application/x-ndjson",
  );
  expect(lines.reply).toMatchObject({ text: "ab", first_token_ms: null });
});

test("reports an error in an answer, and an answer without a reply", async () => {
  expect((await ask({ reply: "/r", error: "/err" }, { r: "x", err: { code: 3 } })).reply).toMatchObject({
    ok: false,
    error: { code: "upstream_error", detail: "The answer has an error at /err." },
  });
  expect((await ask({ reply: "/r", error: "/err" }, { r: "x", err: null })).reply).toMatchObject({ ok: true });
  expect((await ask({ reply: "/r" }, { q: "x" })).reply).toMatchObject({
    ok: false,
    error: { code: "upstream_invalid_reply", detail: "The answer has no text at /r: check it with rehearsal probe." },
  });
});

test("puts the address of a world where the target expects it", async () => {
  const session = { id: "s", world_url: "http://127.0.0.1:9/mcp" };
  const { sent } = await ask({ world: { header: "X-World", field: "/config/mcp" } }, {}, { session });
  expect(sent?.headers).toEqual({ "x-world": session.world_url });
  expect(JSON.parse(String(sent?.body))).toEqual({ q: "Two & three?", config: { mcp: session.world_url } });
});

test.for([
  [{ body: { q: "{{mesage}}" } }, "/body/q", "has the unknown placeholder {{mesage}}; did you mean {{message}}?"],
  [{ body: { q: 1 } }, "/body", "must contain {{message}} or {{messages}}: what the user says"],
  [{ body: undefined }, "/body", 'is required, such as {"message": "{{message}}", "session_id": "{{session_id}}"}'],
  [
    { url: "http://{{model}}.test/" },
    "/url",
    "must have no placeholder before its path: the origin decides which secrets are sent",
  ],
  [{ headers: { Host: "x" } }, "/headers/Host", "is set by the client itself"],
  [{ method: "GET" }, "/body", "is not sent with GET: put placeholders into the URL"],
  [{ protocol: "a2a" }, "/body", "has no effect with protocol a2a"],
  [
    { headers: { Authorization: "Bearer abc" } },
    "/headers/Authorization",
    'must not have its secret in the file: use {"env": "NAME_OF_A_VARIABLE", "prefix": "…"}',
  ],
] as const)("refuses %o", ([given, pointer, message]) => {
  const target = Target.parse({ url: "http://bot.test/", body: { q: "{{message}}" }, ...given });
  expect(targetProblems(target)[0]).toMatchObject({ pointer, message });
});

test("knows which targets are sent the whole conversation", () => {
  expect(isStateless({ url: "http://x", body: { m: "{{messages}}" } })).toBe(true);
  expect(isStateless({ url: "http://x", body: { m: "{{message}}" } })).toBe(false);
});

test("reads and writes by pointer", () => {
  const value = { a: [{ b: 1 }, { b: 2 }, {}], "x/y": 3 };
  expect(valuesAt(value, "/a/*/b")).toEqual([1, 2]);
  expect(valuesAt(value, "/a/-2/b")).toEqual([2]);
  expect(valuesAt(value, "/x~1y")).toEqual([3]);
  expect(valuesAt(value, "/constructor")).toEqual([]);
  expect(setAt({ a: 1 }, "/b/c", 2)).toEqual({ a: 1, b: { c: 2 } });
});

test("results are joined with their calls, also from messages of their own", async () => {
  const { reply } = await ask(
    { reply: "/messages/-1/content", tool_calls: "/messages/*/tool_calls/*" },
    {
      messages: [
        { type: "human", content: "One?" },
        {
          type: "ai",
          content: "",
          tool_calls: [
            { id: "c1", name: "get", args: { id: 1 } },
            { id: "c2", name: "get" },
          ],
        },
        { type: "tool", tool_call_id: "c1", content: '{"sent":true}', status: "success" },
        { type: "tool", tool_call_id: "c2", content: "no such order", status: "error" },
        { type: "ai", content: "Sent." },
      ],
    },
  );
  expect(reply).toMatchObject({
    text: "Sent.",
    reported_calls: [
      { id: "c1", name: "get", arguments: '{"id":1}', result: { sent: true } },
      { id: "c2", name: "get", arguments_unknown: true, error: "no such order" },
    ],
  });
});

test("the calls of a turn are those after its message, also when a model numbers them from 0 in every turn", async () => {
  const call = { type: "ai", tool_calls: [{ id: "get:0", name: "get", args: { id: 1 } }] };
  const before = [{ type: "human", content: "One?" }, call, { type: "ai", content: "Sent." }];
  const asked = { type: "human", content: [{ type: "text", text: "Two & three?" }] };
  const handedOver = { type: "human", name: "researcher", content: "One?" };
  const done = { type: "ai", content: "Sent again." };
  const target = { reply: "/messages/-1/content", tool_calls: "/messages/*/tool_calls/*" };
  const counted = async (list: readonly unknown[]) => {
    const { reply } = await ask(target, { messages: list });
    return reply.ok ? [reply.reported_calls?.length, reply.calls_of_turn] : null;
  };
  expect(await counted([...before, asked, call, handedOver, done])).toEqual([1, true]);
  expect(await counted([...before, asked, done])).toEqual([0, true]);
  expect(await counted([call, done])).toEqual([1, undefined]);
});

test("the fields of a call may have any names", async () => {
  const places = { at: "/trace", id: "ref", name: "/op/title", arguments: "/op/with", result: "got" };
  const trace = [{ ref: 7, op: { title: "find", with: { id: 7 } }, got: "it" }];
  const { reply } = await ask({ reply: "/r", tool_calls: places }, { r: "ok", trace });
  expect(reply).toMatchObject({ reported_calls: [{ id: "7", name: "find", arguments: '{"id":7}', result: "it" }] });
  const agno = [{ tool_call_id: "t", tool_name: "find", tool_args: { id: 7 }, tool_call_error: false, result: "it" }];
  const guessed = await ask({ reply: "/r", tool_calls: "/tools" }, { r: "ok", tools: agno });
  expect(guessed.reply).toMatchObject({ reported_calls: [{ id: "t", arguments: '{"id":7}', result: "it" }] });
});

test("a stream that repeats its calls reports each once", async () => {
  const events = [
    { messages: [{ type: "ai", tool_calls: [{ id: "c1", name: "get" }] }] },
    { messages: [{ type: "ai", tool_calls: [{ id: "c1", name: "get", args: { id: 1 } }] }], text: "Hi" },
    { messages: [{ type: "ai", tool_calls: [{ id: "c1", name: "get", args: { id: 1 } }] }] },
  ];
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const target = { stream: { delta: "/text" }, tool_calls: "/messages/*/tool_calls/*" };
  const { reply } = await ask(target, stream, { stream: true }, "text/event-stream");
  expect(reply).toMatchObject({ reported_calls: [{ id: "c1", arguments: '{"id":1}' }] });
  expect(reply.ok && reply.reported_calls?.[0]).not.toHaveProperty("arguments_unknown");
});

test("without a place for calls, or calls that can be read there, an answer does not report that there were none", async () => {
  expect((await ask({ reply: "/r" }, { r: "ok" })).reply).not.toHaveProperty("reported_calls");
  expect((await ask({ reply: "/r", tool_calls: "/c" }, { r: "ok", c: [] })).reply).toMatchObject({
    reported_calls: [],
  });
  const answers = [{ c: null }, {}, { c: ["find"] }, { c: [{ op: { title: "find" } }, { op: {} }] }];
  for (const answer of answers) {
    const { reply } = await ask({ reply: "/r", tool_calls: "/c" }, { r: "ok", ...answer });
    expect(reply).toMatchObject({ text: "ok" });
    expect(reply).not.toHaveProperty("reported_calls");
  }
  const optional = { reply: "/r", tool_calls: { at: "/c", optional: true } };
  expect((await ask(optional, { r: "ok" })).reply).toMatchObject({ reported_calls: [] });
  const nested = { reply: "/r", tool_calls: "/m/*/tool_calls/*" };
  expect((await ask(nested, { r: "ok", m: [{ role: "user" }] })).reply).toMatchObject({ reported_calls: [] });
  expect((await ask(nested, { r: "ok" })).reply).not.toHaveProperty("reported_calls");
  const blocks = [{ type: "text", text: "ok" }];
  expect((await ask({ reply: "/c/*/text", tool_calls: "/c" }, { c: blocks })).reply).toMatchObject({
    reported_calls: [],
  });
});

test("finds placeholders in linear time, whatever stands between braces", () => {
  const spaces = " ".repeat(200_000);
  const target = Target.parse({
    url: "http://bot.test/chat",
    body: { a: `{{${spaces}`, b: "{{".repeat(100_000), c: `{{ ${spaces}x${spaces}`, d: "{{ message }}" },
  });
  expect(targetProblems(target)).toEqual([]);
});

test.each([
  ["{{message}}", ".."],
  ["{{message}}", "."],
  ["{{message}}/orders", "%2e%2E"],
  ["{{message}}", "../../admin"],
  ["{{message}}", "..\\..\\admin"],
  ["a/.{{message}}", "."],
  ["%2e{{message}}", "%2e"],
  ["{{session_id}}/{{message}}", "x/%252e%252e/y"],
])("never sends to %s what %j would make another path", async (path, said) => {
  const url = `http://bot.test/api/v1/${path}`;
  const { reply, sent } = await ask({ url }, {}, {}, "application/json", said);
  expect(sent).toBeUndefined();
  expect(reply).toMatchObject({
    ok: false,
    error: { code: "upstream_rejected", detail: expect.stringContaining("path") },
  });
});

test.each(["...", "a..b", "Is it 3.5?", "x/y", "100 %", "\ud800"])(
  "fills %j into a path and keeps its structure",
  async (said) => {
    const { sent } = await ask(
      { url: "http://bot.test/api/v1/{{message}}/x?q={{message}}" },
      {},
      {},
      "application/json",
      said,
    );
    expect(URL.parse(sent?.url ?? "")?.pathname.split("/")).toEqual(["", "api", "v1", expect.stringMatching(/./), "x"]);
    const elsewhere = await ask({ url: "http://bot.test/api?q={{message}}" }, {}, {}, "application/json", "..");
    expect(elsewhere.sent?.url).toBe("http://bot.test/api?q=..");
  },
);

test("says which header cannot carry a value", async () => {
  const { reply } = await ask({ headers: { "x-said": "{{message}}" } }, {}, {}, "application/json", "привет");
  expect(reply).toMatchObject({
    ok: false,
    error: { detail: "The header x-said would have a character that no header can carry." },
  });
});
