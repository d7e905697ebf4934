import fc from "fast-check";
import { expect, test } from "vitest";
import { startFakeProvider } from "../../../../test/support/fake-provider.ts";
import type { Behaviour } from "../../../../test/support/fake-provider/behaviour.ts";
import { serverError, status } from "../../../../test/support/fake-provider/error-statuses.ts";
import { json, text } from "../../../../test/support/fake-provider/replies.ts";
import { rawStream, stream, streamDeltas } from "../../../../test/support/fake-provider/streams.ts";
import { createChatModel } from "../../protocols/create-chat-model.ts";
import { createOutbound } from "../../outbound/create-outbound.ts";
import type { OutboundOptions } from "../../outbound/outbound-options.ts";
import { TextChunks } from "./stream.ts";

async function ask(behaviour: Behaviour, options: OutboundOptions = {}) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 }, ...options });
  const model = createChatModel({ protocol: "openai-chat", outbound, endpoint: provider.url, modelId: "model-1" });
  const pieces: string[] = [];
  const reply = await model(
    { messages: [{ role: "user", content: "Hello" }] },
    { signal: new AbortController().signal, onText: (piece) => pieces.push(piece) },
  );
  return { reply, pieces, sent: provider.requests };
}

test("streams text that adds up to the reply", async () => {
  const { reply, pieces, sent } = await ask(stream("One two three"));
  expect(pieces).toEqual(["One ", "two ", "three"]);
  expect(reply).toMatchObject({
    ok: true,
    text: "One two three",
    finish_reason: "stop",
    usage: { total_tokens: 12 },
    completion_id: "chatcmpl-fake-stream",
    system_fingerprint: "fp_fake",
    first_token_ms: expect.any(Number),
  });
  expect(sent[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test.each([1, 2, 3, 7])("joins characters cut every %i bytes", async (pieceBytes) => {
  const words = "naïve 日本語 😀👩‍👩‍👧 ok";
  expect((await ask(stream(words, { pieceBytes, usage: false }))).reply).toMatchObject({ ok: true, text: words });
});

test("joins tool calls from their fragments", async () => {
  const { reply, pieces } = await ask(
    streamDeltas([
      { role: "assistant", content: null },
      { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "first", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
      { tool_calls: [{ index: 1, id: "b", function: { name: "second", arguments: '{"y":' } }] },
      {
        tool_calls: [
          { index: 0, function: { arguments: ":1}" } },
          { index: 1, function: { arguments: "2}" } },
        ],
      },
    ]),
  );
  expect(reply).toMatchObject({
    ok: true,
    text: "",
    finish_reason: "tool_calls",
    tool_calls: [
      { id: "a", name: "first", arguments: '{"x":1}' },
      { id: "b", name: "second", arguments: '{"y":2}' },
    ],
  });
  expect(pieces).toEqual([]);
});

test("separates whole tool calls with a shared index or none", async () => {
  const whole = (id: string, index?: number) => ({
    ...(index !== undefined && { index }),
    id,
    function: { name: id, arguments: "{}" },
  });
  for (const index of [0, undefined]) {
    const { reply } = await ask(streamDeltas([{ tool_calls: [whole("a", index), whole("b", index)] }]));
    expect(reply).toMatchObject({ tool_calls: [{ name: "a" }, { name: "b" }] });
  }
});

test("separates calls without id and index, in one chunk or several", async () => {
  const call = (name: string, text: string) => ({ function: { name, arguments: text } });
  const one = call("add", '{"x":1}');
  const two = call("add", '{"x":2}');
  const three = call("now", "");
  const expected = [
    { name: "add", arguments: '{"x":1}' },
    { name: "add", arguments: '{"x":2}' },
    { name: "now", arguments: "{}" },
    { name: "now", arguments: "{}" },
  ];
  for (const chunks of [[[one, two, three, three]], [[one], [two], [three, three]]]) {
    const { reply } = await ask(streamDeltas(chunks.map((tool_calls) => ({ tool_calls }))));
    expect(reply).toMatchObject({ ok: true, tool_calls: expected });
  }
  const { reply } = await ask(streamDeltas([one, two].map((each) => ({ tool_calls: [{ index: 0, ...each }] }))));
  expect(reply).toMatchObject({ tool_calls: expected.slice(0, 2) });
});

test("joins fragments that repeat the name", async () => {
  for (const own of [{}, { index: 0 }, { id: "a" }]) {
    const part = (text: string) => ({ tool_calls: [{ ...own, function: { name: "add", arguments: text } }] });
    const { reply } = await ask(
      streamDeltas([part(""), part('{"x"'), part(":1}"), ...("index" in own ? [part("")] : [])]),
    );
    expect(reply).toMatchObject({ tool_calls: [{ name: "add", arguments: '{"x":1}' }] });
  }
});

test("reads calls without the function wrapper", async () => {
  const { reply } = await ask(
    streamDeltas([
      { tool_calls: [{ index: 0, id: "a", name: "add", arguments: '{"x"' }] },
      { tool_calls: [{ index: 0, arguments: ":1}" }] },
      { tool_calls: [{ index: 1, id: "b", name: "now", arguments: {} }] },
    ]),
  );
  expect(reply).toMatchObject({
    tool_calls: [
      { id: "a", name: "add", arguments: '{"x":1}' },
      { id: "b", name: "now", arguments: "{}" },
    ],
  });
});

test("separates fragments by id alone or by an index sent as text", async () => {
  const part = (own: object, name: string | null, text: string) => ({ ...own, function: { name, arguments: text } });
  for (const [one, two] of [
    [{ id: "a" }, { id: "b" }],
    [{ index: "0" }, { index: "1" }],
  ] as const) {
    const { reply } = await ask(
      streamDeltas([
        { tool_calls: [part(one, "add", ""), part(two, "add", "")] },
        { tool_calls: [part(two, null, '{"x"')] },
        { tool_calls: [part(one, null, '{"x":1')] },
        { tool_calls: [part(two, null, ":2}"), part(one, null, "}")] },
      ]),
    );
    expect(reply).toMatchObject({
      tool_calls: [
        { name: "add", arguments: '{"x":1}' },
        { name: "add", arguments: '{"x":2}' },
      ],
    });
  }
});

test("begins another call when an id repeats after complete arguments", async () => {
  const call = (id: string, x: number) => ({ id, function: { name: "add", arguments: `{"x":${x}}` } });
  const { reply } = await ask(
    streamDeltas([call("0", 1), call("1", 2), call("0", 3)].map((one) => ({ tool_calls: [one] }))),
  );
  expect(reply).toMatchObject({ tool_calls: [1, 2, 3].map((x) => ({ arguments: `{"x":${x}}` })) });
});

test("ignores an empty object before the arguments", async () => {
  const call = (text: string) => ({ index: 0, id: "a", function: { name: "add", arguments: text } });
  const more = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  const expected = { ok: true, tool_calls: [{ name: "add", arguments: '{"x":1}' }] };
  const streamed = await ask(streamDeltas([{ tool_calls: [call("{}")] }, more('{"x"'), more(":1}")]));
  expect(streamed.reply).toMatchObject(expected);
  const { reply } = await ask(json({ choices: [{ message: { tool_calls: [call('{}{"x":1}')] } }] }));
  expect(reply).toMatchObject(expected);
});

test("reads a call without a list", async () => {
  const call = (name: string | null, text: string) => ({ id: "", function: { name, arguments: text } });
  const expected = { ok: true, tool_calls: [{ name: "add", arguments: '{"x":1}' }] };
  const streamed = await ask(streamDeltas([{ tool_calls: call("add", '{"x"') }, { tool_calls: call(null, ":1}") }]));
  expect(streamed.reply).toMatchObject(expected);
  const { reply } = await ask(json({ choices: [{ message: { tool_calls: call("add", '{"x":1}') } }] }));
  expect(reply).toMatchObject(expected);
});

const events = (...chunks: readonly object[]) =>
  rawStream([...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""));

test("reads the choice with index 0, in one chunk or several", async () => {
  const choice = (index: number, content: string, finish_reason: string | null = null) => ({
    index,
    delta: { content },
    finish_reason,
  });
  const apart = [choice(1, "B1"), choice(0, "A1"), choice(1, "B2"), choice(1, "B3", "length"), choice(0, "A2", "stop")];
  const { reply, pieces } = await ask(events(...apart.map((each) => ({ choices: [each] }))));
  expect(reply).toMatchObject({ ok: true, text: "A1A2", finish_reason: "stop" });
  expect(pieces).toEqual(["A1", "A2"]);
  const together = { choices: [choice(1, "B", "length"), choice(0, "A", "stop")] };
  expect((await ask(events(together))).reply).toMatchObject({ text: "A", finish_reason: "stop" });
});

test.each<[string, Behaviour, string]>([
  ["an error event", stream("One two", { end: "error" }), "upstream_error"],
  [
    "an error in its choice",
    events(
      { choices: [{ index: 0, delta: { content: "One" } }] },
      { choices: [{ index: 0, delta: { content: "" }, error: { code: 502, message: "x" }, finish_reason: "error" }] },
    ),
    "upstream_error",
  ],
  [
    "an error for its reason to finish",
    events(
      { choices: [{ index: 0, delta: { content: "One" } }] },
      { choices: [{ delta: {}, finish_reason: "error" }] },
    ),
    "upstream_error",
  ],
  [
    "an abort for its reason to finish",
    events(
      { choices: [{ index: 0, delta: { content: "One" } }] },
      { choices: [{ delta: {}, finish_reason: "abort" }] },
    ),
    "upstream_error",
  ],
  [
    "an error under a field of its own, as llama.cpp writes it",
    rawStream(
      'data: {"choices":[{"delta":{"content":"One"}}]}\n\nerror: {"code":500,"message":"x"}\n\ndata: [DONE]\n\n',
    ),
    "upstream_error",
  ],
  [
    "an error where Groq writes it",
    events(
      { choices: [{ index: 0, delta: { content: "One" } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], x_groq: { id: "req_1", error: "over capacity" } },
    ),
    "upstream_error",
  ],
  ["a reset", stream("One two", { end: "reset" }), "upstream_reset"],
  ["a missing end", rawStream('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'), "upstream_invalid_reply"],
  ["an event that is not JSON", rawStream("data: hello\n\n"), "upstream_invalid_reply"],
  ["an error without a word", rawStream("event: error\ndata:\n\n"), "upstream_invalid_reply"],
  ["nothing but heartbeats", rawStream("data:\n\ndata: null\n\n"), "upstream_invalid_reply"],
  ["no text at all", rawStream("data: [DONE]\n\n"), "upstream_invalid_reply"],
  ["a line of 2 MB", rawStream(`data: ${"a".repeat(2_000_000)}\n\n`), "upstream_reply_too_large"],
  ["a server error before it began", serverError, "upstream_error"],
])("fails for a stream with %s", async (_, behaviour, code) => {
  expect((await ask(behaviour)).reply).toMatchObject({ ok: false, error: { code, tries: 1 } });
});

test.each<[string, Behaviour, string]>([
  [
    "nothing but a bare error",
    rawStream('{"error":{"message":"Too many requests","code":429}}'),
    "upstream_rate_limited",
  ],
  ["a named error event", rawStream('event: error\ndata: {"message":"x"}\n\n'), "upstream_error"],
])("fails again for a stream with %s at the second try", async (_, behaviour, code) => {
  expect((await ask(behaviour)).reply).toMatchObject({ ok: false, error: { code, tries: 2 } });
});

const logprobs = (...tokens: readonly string[]) => ({
  content: tokens.map((token) => ({ token, logprob: -0.5, top_logprobs: [] })),
  refusal: null,
});

test.each<[string, readonly object[], object]>([
  [
    "log probabilities",
    [
      { delta: { role: "assistant", content: "" }, logprobs: null },
      { delta: { content: "Hel" }, logprobs: logprobs("Hel") },
      { delta: { content: "lo" }, logprobs: logprobs("lo") },
      { delta: { content: "Hel" }, logprobs: logprobs("Hel") },
      { delta: {}, logprobs: null, finish_reason: "stop" },
    ],
    { message: { content: "HelloHel" }, logprobs: logprobs("Hel", "lo", "Hel"), finish_reason: "stop" },
  ],
  [
    "a refusal among its blocks",
    [
      { delta: { content: [{ type: "refusal", refusal: "I can" }] } },
      { delta: { refusal: "not" }, finish_reason: "stop" },
    ],
    { message: { content: [{ type: "refusal", refusal: "I cannot" }] }, finish_reason: "stop" },
  ],
  [
    "a text that a filter held back",
    [{ delta: { role: "assistant", content: "" } }, { delta: {}, finish_reason: "content_filter" }],
    { message: { role: "assistant" }, finish_reason: "content_filter" },
  ],
  [
    "a text that Gemini's filter held back",
    [{ delta: { role: "assistant" }, finish_reason: "content_filter: PROHIBITED_CONTENT" }],
    { finish_reason: "content_filter: PROHIBITED_CONTENT" },
  ],
  [
    "an old function call without a name",
    [{ delta: { content: "Hi", function_call: { name: "", arguments: "" } }, finish_reason: "stop" }],
    { message: { content: "Hi", function_call: { name: "", arguments: "" } }, finish_reason: "stop" },
  ],
  ["bare text", [{ text: "Hel" }, { text: "lo", finish_reason: "stop" }], { text: "Hello", finish_reason: "stop" }],
  [
    "pieces that are called message",
    [{ message: { content: "Hel" } }, { message: { content: "lo" }, finish_reason: "stop" }],
    { message: { content: "Hello" }, finish_reason: "stop" },
  ],
  [
    "the whole message at its end",
    [
      { delta: { content: "Hel" } },
      { delta: { content: "lo" } },
      { message: { content: "Hello", metadata: { intent: "greet" } }, finish_reason: "stop" },
    ],
    { message: { content: "Hello", metadata: { intent: "greet" } }, finish_reason: "stop" },
  ],
  [
    "a whole message that has more than its pieces",
    [
      { delta: { role: "assistant", content: "" } },
      {
        delta: {},
        message: { content: "Hello", tool_calls: [{ id: "a", function: { name: "add", arguments: "{}" } }] },
        finish_reason: "tool_calls",
      },
    ],
    {
      message: { content: "Hello", tool_calls: [{ id: "a", function: { name: "add", arguments: "{}" } }] },
      finish_reason: "tool_calls",
    },
  ],
])("reads a stream with %s like one piece", async (_, choices, whole) => {
  const streamed = await ask(events(...choices.map((choice) => ({ choices: [{ index: 0, ...choice }] }))));
  const { reply } = await ask(json({ choices: [{ index: 0, ...whole }] }));
  const timing = { latency_ms: expect.any(Number), first_token_ms: streamed.reply.ok && streamed.reply.first_token_ms };
  expect(reply).toMatchObject({ ok: true });
  expect(streamed.reply).toEqual({ ...reply, ...timing });
  expect(streamed.pieces.join("")).toBe(reply.ok && reply.text);
});

test("marks a tool call that Gemini could not parse", async () => {
  const finish_reason = "function_call_filter: MALFORMED_FUNCTION_CALL";
  const extra_content = { google: { thought: false } };
  const whole = await ask(
    json({ choices: [{ index: 0, message: { role: "assistant", extra_content }, finish_reason }] }),
  );
  const streamed = await ask(events({ choices: [{ index: 0, delta: { role: "assistant" }, finish_reason }] }));
  const error = { code: "upstream_invalid_reply", unreadable_call: true };
  expect([whole.reply, streamed.reply]).toMatchObject(Array(2).fill({ ok: false, error }));
});

test("marks a tool call that Groq could not parse, as a status and in a stream", async () => {
  const message = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";
  const failed = { message, type: "invalid_request_error", code: "tool_use_failed", failed_generation: "<function=a>" };
  const refused = await ask(status(400, failed));
  const streamed = await ask(rawStream(`event: error\ndata: ${JSON.stringify({ error: failed })}\n\n`));
  const error = { code: "upstream_invalid_reply", unreadable_call: true };
  expect([refused.reply, streamed.reply]).toMatchObject(Array(2).fill({ ok: false, error }));
});

test("reads usage from the choice", async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const { reply } = await ask(
    events(
      { choices: [{ index: 0, delta: { content: "Hi" } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] },
    ),
  );
  expect(reply).toMatchObject({ ok: true, usage });
});

test("reads usage from Groq's own field", async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const { reply } = await ask(
    events(
      { choices: [{ index: 0, delta: { content: "Hi" } }], x_groq: { id: "req_1" } },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], x_groq: { id: "req_1", usage } },
    ),
  );
  expect(reply).toMatchObject({ ok: true, usage });
});

test("ends an endless stream at the total limit", async () => {
  const { reply } = await ask(stream("One", { end: "endless" }), { timeouts: { totalMs: 200 } });
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_timeout" } });
});

test("limits the size of an event by a setting of the client", async () => {
  const long = stream("a".repeat(500));
  expect((await ask(long, { maxEventBytes: 2_000 })).reply).toMatchObject({ ok: true });
  const { reply } = await ask(long, { maxEventBytes: 400 });
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_reply_too_large" } });
});

test("accepts a stream without [DONE] after its finish reason", async () => {
  expect((await ask(stream("One", { end: "no-done" }))).reply).toMatchObject({ ok: true, text: "One" });
});

test("reads a whole completion sent as an event stream", async () => {
  const body = JSON.stringify({ choices: [{ message: { content: "Hello" }, finish_reason: "stop" }] });
  expect(await ask(rawStream(body))).toMatchObject({ reply: { ok: true, text: "Hello" }, pieces: ["Hello"] });
});

test("tolerates comments, other fields, CRLF and a missing last blank line", async () => {
  const body =
    ': keep-alive\r\n\r\nid: 1\r\nretry: 5\r\ndata: {"choices":[{"delta":\r\ndata: {"content":"Hi"}}]}\r\n\r\ndata: [DONE]';
  expect((await ask(rawStream(body))).reply).toMatchObject({ ok: true, text: "Hi" });
});

test.each(["data:", "data: null", "data: ping", "event: ping\ndata: ping", "event: keep-alive\ndata: 1"])(
  "skips the heartbeat %j",
  async (beat) => {
    const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}`;
    const { reply } = await ask(
      rawStream([beat, chunk("One"), beat, chunk(" two"), beat, "data: [DONE]", ""].join("\n\n")),
    );
    expect(reply).toMatchObject({ ok: true, text: "One two" });
  },
);

test("reads a whole answer to a streaming request", async () => {
  const { reply, pieces } = await ask(text("All at once"));
  expect(reply).toMatchObject({ ok: true, text: "All at once", first_token_ms: null });
  expect(pieces).toEqual(["All at once"]);
});

test("rejects with the caller's reason when aborted during a stream", async () => {
  await using provider = await startFakeProvider({ behaviour: stream("One two", { end: "endless" }) });
  await using outbound = createOutbound();
  const controller = new AbortController();
  const model = createChatModel({ protocol: "openai-chat", outbound, endpoint: provider.url, modelId: "m" });
  const reply = model(
    { messages: [] },
    { signal: controller.signal, onText: () => controller.abort(new Error("enough")) },
  );
  await expect(reply).rejects.toThrow("enough");
});

const chunk = (delta: object, more: object = {}) => ({ id: "c", model: "m", choices: [{ index: 0, delta, ...more }] });

function learned(data: string): TextChunks {
  const chunks = new TextChunks();
  chunks.learn(data, JSON.parse(data));
  return chunks;
}

test("reads only the text of chunks after the first", () => {
  const chunks = learned(JSON.stringify(chunk({ content: "Hello" })));
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(chunks.read(JSON.stringify(chunk({ content: text })))).toBe(text);
    }),
  );
  expect(chunks.read(JSON.stringify(chunk({ content: 'a "quoted" \\ \u2028 word' })))).toBe(
    'a "quoted" \\ \u2028 word',
  );
});

test("parses a chunk in full that differs in another field", () => {
  const chunks = learned(JSON.stringify(chunk({ content: "Hello" })));
  const others = [
    chunk({ content: "Hello" }, { finish_reason: "stop" }),
    chunk({ content: "a", tool_calls: [{ index: 0 }] }),
    chunk({ content: null }),
    chunk({ content: ["Hello"] }),
    { ...chunk({ content: "Hello" }), usage: { total_tokens: 1 } },
    { ...chunk({ content: "Hello" }), id: "d" },
  ];
  expect(others.map((other) => chunks.read(JSON.stringify(other)))).toEqual(others.map(() => null));
  // Text that only looks like the end of one value and the beginning of another.
  const data = JSON.stringify(chunk({ content: "Hello" }));
  expect(chunks.read(data.replace('"Hello"', '"a","content":"b"'))).toBeNull();
  expect(chunks.read(data.replace('"Hello"', '"a'))).toBeNull();
  expect(chunks.read("[DONE]")).toBeNull();
});

test("does not confuse equal text in another field with the reply", () => {
  const twice = learned('{"content":"Hello","choices":[{"index":0,"delta":{"content":"Hello"}}]}');
  expect(twice.read('{"content":"Bye","choices":[{"index":0,"delta":{"content":"Hello"}}]}')).toBeNull();
  const repeated = learned('{"choices":[{"index":0,"delta":{"content":"Hello","content":"Hello"}}]}');
  expect(repeated.read('{"choices":[{"index":0,"delta":{"content":"Bye","content":"Hello"}}]}')).toBeNull();
});

test("learns nothing from a chunk with more than text", () => {
  const usage = { ...chunk({ content: "Hello" }), usage: { total_tokens: 1 } };
  const groq = { ...chunk({ content: "Hello" }), x_groq: { usage: { total_tokens: 1 } } };
  for (const data of [usage, groq, chunk({ content: "" }), chunk({ content: "a", refusal: "b" }), []]) {
    expect(learned(JSON.stringify(data)).read(JSON.stringify(data))).toBeNull();
  }
});
