import { expect, test } from "vitest";
import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import type { OpaqueMetadata, ChatMessage, ChatRequest } from "../../contract/ports/chat-model.ts";
import { status } from "../../../test/support/fake-provider/error-statuses.ts";
import { json, message, text } from "../../../test/support/fake-provider/replies.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

const said = {
  anthropic: json({ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" }),
  openai: text("Hi"),
};

/** The bodies of two requests to a server that answers `refusal` to whatever holds `field`. */
async function sentTo(
  request: ChatRequest,
  { protocol = "openai-chat", refused, refusal = "Extra inputs are not permitted: " }: Options = {},
) {
  const answer = protocol === "anthropic-messages" ? said.anthropic : said.openai;
  await using provider = await startFakeProvider({
    behaviour: (call) => {
      const isRefused = refused !== undefined && JSON.stringify(call.request.body).includes(`"${refused}":`);
      return (isRefused ? status(400, { message: `${refusal}${refused}` }) : answer)(call);
    },
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol, endpoint: provider.url, modelId: "m" });
  for (let count = 0; count < 2; count += 1) {
    expect(await model(request, { signal: new AbortController().signal })).toMatchObject({ ok: true, text: "Hi" });
  }
  return provider.requests.map(({ body }) => body ?? {});
}

interface Options {
  readonly protocol?: Protocol;
  readonly refused?: string;
  readonly refusal?: string;
}

const control = { type: "ephemeral", ttl: "1h" };
const marked: ChatRequest = {
  messages: [
    { role: "system", content: "Long rules. Today is Monday.", cache_marks: [{ end: 12, control }] },
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello", name: "Ann", cache_marks: [{ end: 5, control }] },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "a", name: "weather", arguments: "{}" }],
      cache_marks: [{ end: 0, control }],
    },
    { role: "tool", content: "Sunny", tool_call_id: "a", cache_marks: [{ end: 5, control }] },
  ],
  tools: [{ name: "weather", description: "", parameters: {}, cache_control: control }],
};

test("sends cache marks to Anthropic in separate blocks", async () => {
  const [body] = await sentTo(marked, { protocol: "anthropic-messages" });
  expect(body).toMatchObject({
    system: [
      { type: "text", text: "Long rules. ", cache_control: control },
      { type: "text", text: "Today is Monday." },
      { type: "text", text: "\n\nBe brief." },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "Ann: Hello", cache_control: control }] },
      { role: "assistant", content: [{ type: "tool_use", id: "a", cache_control: control }] },
      { role: "user", content: [{ type: "tool_result", content: "Sunny", cache_control: control }] },
    ],
    tools: [{ name: "weather", cache_control: control }],
  });
});

test("sends cache marks to gateways in message parts", async () => {
  const [body] = await sentTo(marked);
  expect(body).toMatchObject({
    messages: [
      {
        role: "system",
        content: [
          { type: "text", text: "Long rules. ", cache_control: control },
          { type: "text", text: "Today is Monday." },
        ],
      },
      { content: "Be brief." },
      { role: "user", name: "Ann", content: [{ type: "text", text: "Hello", cache_control: control }] },
      { role: "assistant", content: null },
      { role: "tool", content: [{ type: "text", text: "Sunny", cache_control: control }] },
    ],
    tools: [{ type: "function", function: { name: "weather" }, cache_control: control }],
  });
});

const picture: ChatMessage = {
  role: "user",
  content: "[image] this",
  parts: [
    { type: "image", url: "https://x/a.png", cache_control: control },
    { type: "text", text: " this", cache_control: control },
  ],
};

test("keeps cache marks on pictures", async () => {
  const [anthropic] = await sentTo({ messages: [picture] }, { protocol: "anthropic-messages" });
  expect(anthropic?.["messages"]).toMatchObject([
    {
      content: [
        { type: "image", cache_control: control },
        { text: " this", cache_control: control },
      ],
    },
  ]);
  const [openai] = await sentTo({ messages: [picture] });
  expect(openai?.["messages"]).toMatchObject([
    {
      content: [
        { type: "image_url", cache_control: control },
        { text: " this", cache_control: control },
      ],
    },
  ]);
});

test.each<Protocol>(["openai-chat", "anthropic-messages"])(
  "stops sending cache marks that a server refuses (%s)",
  async (protocol) => {
    const messages = [...marked.messages.slice(0, 3), picture];
    const bodies = await sentTo({ ...marked, messages }, { protocol, refused: "cache_control" });
    expect(bodies.map((body) => JSON.stringify(body).includes("cache_control"))).toEqual([true, false, false]);
  },
);

test("drops cache marks for a server that accepts only strings", async () => {
  const messages = marked.messages.slice(0, 3);
  const options = { refused: "cache_control", refusal: "messages.0: content must be a string " };
  const bodies = await sentTo({ messages }, options);
  expect(bodies.slice(1).map((body) => body["messages"])).toEqual(
    Array(2).fill([
      { role: "system", content: "Long rules. Today is Monday." },
      { role: "system", content: "Be brief." },
      { role: "user", name: "Ann", content: "Hello" },
    ]),
  );
});

test("drops a client's reasoning that the server refuses", async () => {
  const echo = { message: { reasoning_content: "Hm." }, call: { extra_content: { google: {} } } };
  const messages: ChatMessage[] = [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", tool_calls: [{ id: "a", name: "weather", arguments: "{}", echo }] },
    { role: "tool", content: "Sunny", tool_call_id: "a" },
  ];
  const bodies = await sentTo({ messages }, { refused: "reasoning_content", refusal: "unsupported property " });
  expect(bodies.map((body) => JSON.stringify(body).includes("Hm."))).toEqual([true, false, false]);
  const [kept] = await sentTo({ messages });
  expect(kept?.["messages"]).toMatchObject([{}, { reasoning_content: "Hm." }, {}]);
});

test("drops the server's own reasoning when it refuses it", async () => {
  const bodies: unknown[] = [];
  const call = { id: "a", type: "function", function: { name: "weather", arguments: "{}" } };
  await using provider = await startFakeProvider({
    behaviour: (exchange) => {
      const { body } = exchange.request;
      bodies.push(body);
      if (JSON.stringify(body).includes('"reasoning":')) {
        return status(400, { message: "'messages.1' : property 'reasoning' is unsupported" })(exchange);
      }
      return message(bodies.length === 1 ? { reasoning: "Hm.", tool_calls: [call] } : { content: "Hi" })(exchange);
    },
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const { signal } = new AbortController();
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "m" });
  const question = { role: "user", content: "Weather?" } as const;
  const first = await model({ messages: [question] }, { signal });
  const tool_calls = first.ok ? first.tool_calls : [];
  const answered: ChatMessage[] = [
    question,
    { role: "assistant", content: "", tool_calls },
    { role: "tool", content: "Sunny", tool_call_id: "a" },
  ];
  expect(await model({ messages: answered }, { signal })).toMatchObject({ ok: true, text: "Hi" });
  expect(await model({ messages: answered }, { signal })).toMatchObject({ ok: true, text: "Hi" });
  expect(bodies.slice(1).map((body) => JSON.stringify(body).includes("Hm."))).toEqual([true, false, false]);
});

test.each([
  ["DeepSeek", "The `reasoning_content` in the thinking mode must be passed back to the API."],
  ["Kimi", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"],
  [
    "Kimi",
    "requires reasoning_content on every assistant message, but assistant message at index 1 is missing reasoning_content",
  ],
])("sends %s an empty reasoning where it is unknown: %s", async (_name, refusal) => {
  const bodies: ChatMessage[][] = [];
  await using provider = await startFakeProvider({
    behaviour: (exchange) => {
      const sent = exchange.request.body?.["messages"] as ChatMessage[];
      bodies.push(sent);
      const isBare = sent.some((said) => said.role === "assistant" && !("reasoning_content" in said));
      return (isBare ? status(400, { message: refusal }) : said.openai)(exchange);
    },
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "m" });
  const call = (id: string, echo?: OpaqueMetadata) => ({ id, name: "weather", arguments: "{}", ...(echo && { echo }) });
  const messages: ChatMessage[] = [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", tool_calls: [call("a")] },
    { role: "tool", content: "Sunny", tool_call_id: "a" },
    { role: "assistant", content: "", tool_calls: [call("b", { message: { reasoning_content: "Hm." } })] },
    { role: "tool", content: "Sunny", tool_call_id: "b" },
    { role: "assistant", content: "Sunny." },
    { role: "user", content: "And tomorrow?" },
  ];
  for (const calls of [2, 3]) {
    const reply = await model({ messages }, { signal: new AbortController().signal });
    expect(reply).toMatchObject({ ok: true, text: "Hi" });
    expect(bodies).toHaveLength(calls);
  }
  expect(bodies.at(-1)?.filter(({ role }) => role === "assistant")).toMatchObject([
    { reasoning_content: "" },
    { reasoning_content: "Hm." },
    { content: "Sunny.", reasoning_content: "" },
  ]);
  expect(bodies.at(-1)?.filter((said) => "reasoning_content" in said)).toHaveLength(3);
});

const isShort = (id: string) => /^[a-z\d]{9}$/i.test(id);

test.each<[string, (id: string) => string | null]>([
  ["Mistral", (id) => (isShort(id) ? null : `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`)],
  [
    "OpenAI",
    (id) => {
      const rule =
        "string too long. Expected a string with maximum length 40, but got a string with length 46 instead.";
      return id.length <= 40 ? null : `Invalid 'messages[1].tool_calls[0].id': ${rule}`;
    },
  ],
])("shortens call ids of another model for %s", async (_name, problemOf) => {
  const foreign = "chatcmpl-tool-0123456789abcdef0123456789abcdef";
  const call = (id: string) => ({ id, name: "weather", arguments: "{}" });
  const messages: ChatMessage[] = [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", tool_calls: [call(foreign), call("aB3dE6gH9")] },
    { role: "tool", content: "Sunny", tool_call_id: foreign },
    { role: "tool", content: "Sunny", tool_call_id: "aB3dE6gH9" },
  ];
  type Sent = readonly { tool_calls?: readonly { id: string }[]; tool_call_id?: string }[];
  const idsIn = (body: Record<string, unknown> | null) => {
    const sent = (body?.["messages"] ?? []) as Sent;
    return sent.flatMap((message) => [message.tool_calls ?? [], message.tool_call_id ?? []].flat());
  };
  await using provider = await startFakeProvider({
    behaviour: (exchange) => {
      const [first] = idsIn(exchange.request.body) as [{ id: string }];
      const message = problemOf(first.id);
      return (message === null ? said.openai : status(400, { message }))(exchange);
    },
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "m" });
  for (const _ of ["first", "then at once"]) {
    expect(await model({ messages }, { signal: new AbortController().signal })).toMatchObject({ ok: true, text: "Hi" });
  }
  const short = expect.toSatisfy(isShort);
  const [sent, again, later] = provider.requests.map(({ body }) => idsIn(body ?? null));
  expect(sent).toMatchObject([{ id: foreign }, { id: "aB3dE6gH9" }, foreign, "aB3dE6gH9"]);
  expect(again).toMatchObject([{ id: short }, { id: "aB3dE6gH9" }, short, "aB3dE6gH9"]);
  expect(again?.[0]).toMatchObject({ id: again?.[2] });
  expect(later).toEqual(again);
  expect(provider.requests).toHaveLength(3);
});

test.each(["openai-chat", "openai-responses"] as const)(
  "cuts long tool descriptions that %s refuses",
  async (protocol) => {
    const place = protocol === "openai-chat" ? "tools[1].function.description" : "tools[1].description";
    const refusal = `Invalid '${place}': string too long. Expected a string with maximum length 1024, but got a string with length 2780 instead.`;
    const item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };
    const long = `Thinks. ${"x".repeat(2772)}`;
    await using provider = await startFakeProvider({
      behaviour: (call) => {
        const isLong = JSON.stringify(call.request.body).includes("x".repeat(1017));
        const body = protocol === "openai-chat" ? said.openai : json({ output: [item], status: "completed" });
        return (isLong ? status(400, { message: refusal, code: "string_above_max_length" }) : body)(call);
      },
    });
    await using outbound = createOutbound({ retry: { maximum: 0 } });
    const model = createChatModel({ outbound, protocol, endpoint: provider.url, modelId: "m" });
    const tools = ["Adds.", long].map((description, index) => ({ name: `t${index}`, description, parameters: {} }));
    const request: ChatRequest = { messages: [{ role: "user", content: "Hello" }], tools };
    for (let count = 0; count < 2; count += 1) {
      expect(await model(request, { signal: new AbortController().signal })).toMatchObject({ ok: true });
    }
    expect(provider.requests).toHaveLength(3);
    const sent = JSON.stringify(provider.requests[2]?.body);
    expect(sent).toContain('"description":"Adds."');
    expect(sent).toContain(`"description":"${long.slice(0, 1023)}…"`);
  },
);

test.each([
  ["Mistral", "Assistant message must have either content or tool_calls, but not none."],
  ["Kimi", "Invalid request: the message at position 1 with role 'assistant' must not be empty"],
  ["Gemini", "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n"],
  ["xAI", "Invalid request content: Each message must have at least one content element."],
])("fills an empty reply for %s", async (_, refusal) => {
  await using provider = await startFakeProvider({
    behaviour: (call) => {
      const isEmpty = JSON.stringify(call.request.body).includes('"content":""');
      return (isEmpty ? status(400, { message: refusal }) : said.openai)(call);
    },
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "m" });
  const messages: readonly ChatMessage[] = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "" },
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", tool_calls: [{ id: "a", name: "weather", arguments: "{}" }] },
    { role: "tool", tool_call_id: "a", content: "sunny" },
  ];
  expect(await model({ messages }, { signal: new AbortController().signal })).toMatchObject({ ok: true, text: "Hi" });
  expect(provider.requests[1]?.body).toMatchObject({
    messages: [
      { content: "Hello" },
      { content: "(empty message)" },
      { content: "Weather?" },
      { content: null },
      { content: "sunny" },
    ],
  });
});

test("closes a turn that was stopped after its tool results for Mistral", async () => {
  const roles = (body: unknown) => (body as { messages: { role: string }[] }).messages.map(({ role }) => role);
  await using provider = await startFakeProvider({
    behaviour: (call) => {
      const isRefused = roles(call.request.body).join(" ").includes("tool user");
      return (isRefused ? status(400, { message: "Unexpected role 'user' after role 'tool'" }) : said.openai)(call);
    },
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({ outbound, protocol: "openai-chat", endpoint: provider.url, modelId: "m" });
  const messages: readonly ChatMessage[] = [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", tool_calls: [{ id: "a", name: "weather", arguments: "{}" }] },
    { role: "tool", tool_call_id: "a", content: "sunny" },
    { role: "user", content: "Never mind. News?" },
  ];
  expect(await model({ messages }, { signal: new AbortController().signal })).toMatchObject({ ok: true, text: "Hi" });
  expect(roles(provider.requests[1]?.body)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
});
