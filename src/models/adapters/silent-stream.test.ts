import { expect, test } from "vitest";
import type { Behaviour, FakeCall } from "../../../test/support/fake-provider/behaviour.ts";
import { serverError, status } from "../../../test/support/fake-provider/error-statuses.ts";
import { json, text } from "../../../test/support/fake-provider/replies.ts";
import { stream } from "../../../test/support/fake-provider/streams.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

/** Asks `times` times for a stream without listeners. */
async function ask(
  behaviour: Behaviour,
  { times = 1, protocol = "openai-chat" as Protocol, models = ["m"] as readonly string[] } = {},
) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const replies = [];
  for (const modelId of Array.from({ length: times }, () => models).flat()) {
    const model = createChatModel({ outbound, protocol, endpoint: provider.url, modelId });
    const { signal } = new AbortController();
    replies.push(await model({ messages: [{ role: "user", content: "Hello" }] }, { signal, stream: true }));
  }
  const sent = provider.requests.map(({ body }) => ({ stream: body?.["stream"], options: body?.["stream_options"] }));
  return { replies, sent };
}

const usage = { stream: true, options: { include_usage: true } };
const plain = { stream: true, options: undefined };
const whole = { stream: undefined, options: undefined };

/** Streams, unless the request is one that it refuses. */
function unless(refuses: (body: Record<string, unknown>) => boolean, refusal: Behaviour): Behaviour {
  return (call: FakeCall) => {
    const body = call.request.body ?? {};
    if (refuses(body)) return refusal(call);
    return body["stream"] === true
      ? stream("One two", { usage: body["stream_options"] !== undefined })(call)
      : text("One two")(call);
  };
}

test("measures the first token and the usage of a stream without listeners", async () => {
  const { replies, sent } = await ask(stream("One two three"));
  expect(replies[0]).toMatchObject({ ok: true, text: "One two three", usage: { total_tokens: 12 } });
  expect(replies[0]).toHaveProperty("first_token_ms", expect.any(Number));
  expect(sent).toEqual([usage]);
});

test("streams without usage after a refusal, and remembers that", async () => {
  const refusal = status(400, { message: "Unknown field: stream_options" });
  const { replies, sent } = await ask(
    unless((body) => "stream_options" in body, refusal),
    { times: 2 },
  );
  expect(sent).toEqual([usage, plain, plain]);
  expect(replies).toMatchObject([
    { ok: true, text: "One two", tries: 2, first_token_ms: expect.any(Number) },
    { ok: true, text: "One two", tries: 1, first_token_ms: expect.any(Number) },
  ]);
});

test("asks in one piece after streaming is refused, and remembers that", async () => {
  const refusal = status(400, { message: "Your organization must be verified to stream this model." });
  const { replies, sent } = await ask(
    unless((body) => body["stream"] === true, refusal),
    { times: 2 },
  );
  expect(sent).toEqual([usage, whole, whole]);
  expect(replies).toMatchObject([
    { ok: true, text: "One two", first_token_ms: null, tries: 2, usage: { total_tokens: 12 } },
    { ok: true, first_token_ms: null, tries: 1 },
  ]);
});

test("does not retry a refusal that is not about streaming", async () => {
  const { replies, sent } = await ask(status(400, { message: "temperature must be at most 2" }));
  expect(replies).toMatchObject([{ ok: false, error: { code: "upstream_rejected", tries: 1 } }]);
  expect(sent).toEqual([usage]);
});

test.each([
  ["a word that holds the letters", "m", { message: "The upstream refused the request" }],
  ["a model with the word in its name", "acme/stream-1", { message: "The model acme/stream-1 does not exist" }],
  ["a model with a word like it", "streamy", { message: "Unknown model: streamy" }],
  ["a repetition of the request", "m", { message: "Bad", input: { stream: true, stream_options: {} } }],
])("does not retry a refusal with %s, and streams the next call", async (_, model, error) => {
  const { replies, sent } = await ask(json({ error }, 404), { times: 2, models: [model] });
  expect(replies).toMatchObject([{ ok: false, error: { tries: 1 } }, { ok: false }]);
  expect(sent).toEqual([usage, usage]);
});

test("tries at most twice and remembers nothing when every form is refused", async () => {
  for (const message of ["stream is not allowed", "stream_options is not allowed"]) {
    const { replies, sent } = await ask(status(400, { message }), { times: 2 });
    expect(replies).toMatchObject([{ ok: false, error: { tries: 2 } }, { ok: false }]);
    expect(sent).toHaveLength(4);
    expect(sent[2]).toEqual(usage);
  }
});

test("remembers a refusal for its model only", async () => {
  const refusal = status(400, { message: "This model does not support streaming" });
  const { sent } = await ask(
    unless((body) => body["model"] === "old" && body["stream"] === true, refusal),
    { times: 2, models: ["old", "new"] },
  );
  expect(sent).toEqual([usage, whole, usage, whole, usage]);
});

test("does not change the form after a failure before the stream", async () => {
  const { replies, sent } = await ask(serverError);
  expect(replies).toMatchObject([{ ok: false, error: { code: "upstream_error", tries: 1 } }]);
  expect(sent).toHaveLength(1);
});

test("asks for a broken stream once more in one piece, and streams the next reply", async () => {
  const broken: Behaviour = (call) =>
    call.request.body?.["stream"] === true ? stream("One two", { end: "error" })(call) : text("One two")(call);
  const { replies, sent } = await ask(broken, { times: 2 });
  expect(replies).toMatchObject([
    { ok: true, text: "One two", tries: 2, first_token_ms: null },
    { ok: true, tries: 2 },
  ]);
  expect(sent).toEqual([usage, whole, usage, whole]);
});

test("accepts an endpoint that ignores streaming", async () => {
  const { replies, sent } = await ask(text("All at once"));
  expect(replies).toMatchObject([{ ok: true, text: "All at once", first_token_ms: null, tries: 1 }]);
  expect(sent).toHaveLength(1);
});
