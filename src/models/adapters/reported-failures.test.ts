import { expect, test } from "vitest";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { okWithError } from "../../../test/support/fake-provider/error-statuses.ts";
import { json, text } from "../../../test/support/fake-provider/replies.ts";
import { rawStream } from "../../../test/support/fake-provider/streams.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import type { ChatOptions } from "../../contract/ports/chat-model.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import { createOutbound } from "../outbound/create-outbound.ts";

/** Asks an endpoint that fails once in this way and then replies. */
async function ask(
  behaviour: Behaviour,
  { protocol = "openai-chat" as Protocol, ...options }: Partial<ChatOptions> & { protocol?: Protocol } = {},
) {
  await using provider = await startFakeProvider({ script: [behaviour], behaviour: text("Fine") });
  await using outbound = createOutbound({ retry: { baseMs: 1 } });
  const model = createChatModel({ outbound, protocol, endpoint: provider.url, modelId: "m" });
  const { signal } = new AbortController();
  const reply = await model({ messages: [{ role: "user", content: "Hello" }] }, { signal, ...options });
  return { reply, calls: provider.requests.length, breakers: outbound.breakers() };
}

test.each([
  ["OpenRouter, whose provider failed", okWithError({ code: 502, message: "Provider returned error" })],
  ["OpenRouter, in the choice", json({ choices: [{ error: { code: 504, message: "x" }, finish_reason: "error" }] })],
  ["a limited rate", okWithError({ code: 429, message: "Provider returned error" })],
  ["a server that only says that it failed", json({ error: "Internal error" })],
  ["DeepSeek without resources", json({ choices: [{ message: {}, finish_reason: "insufficient_system_resource" }] })],
])("retries an error in a 200 answer: %s", async (_, behaviour) => {
  const { reply, calls } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: true, text: "Fine", tries: 2 });
  expect(calls).toBe(2);
});

test("retries an error of the messages API in a 200 answer, and counts it as a failure", async () => {
  const overloaded = json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  const { calls, breakers } = await ask(overloaded, { protocol: "anthropic-messages" });
  expect(calls).toBe(2);
  expect(breakers).toMatchObject([{ failures: 1 }]);
});

test("reports a rate limit in a 200 answer to onRefused", async () => {
  let refusals = 0;
  await ask(okWithError({ code: 429, message: "Slow down" }), { onRefused: () => (refusals += 1) });
  expect(refusals).toBe(1);
});

test.each([
  ["a request that is wrong", okWithError({ code: 400, message: "temperature" }), "upstream_rejected"],
  ["one that is called so", json({ error: { type: "invalid_request_error", message: "x" } }), "upstream_rejected"],
  ["a key that is wrong", okWithError({ code: 401, message: "No auth credentials found" }), "upstream_auth"],
  ["an empty account", okWithError({ code: "insufficient_quota", message: "Check your plan" }), "upstream_rejected"],
  ["an answer that is none", json({ choices: [] }), "upstream_invalid_reply"],
])("does not retry a lasting failure: %s", async (_, behaviour, code) => {
  const { reply, calls } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: false, error: { code, tries: 1 } });
  expect(calls).toBe(1);
});

test("reports an empty account in a stream, without another try", async () => {
  const error = { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota" };
  const { reply, calls } = await ask(rawStream(`event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`), {
    protocol: "openai-responses",
    onText: () => {},
  });
  expect(reply).toMatchObject({ error: { detail: expect.stringContaining("no credit"), lacks_credit: true } });
  expect(calls).toBe(1);
});

const failure = 'data: {"choices":[],"error":{"code":502,"message":"Provider returned error"}}\n\n';
const piece = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

test("asks for a stream that fails before its first text once more, in one piece", async () => {
  const heard: string[] = [];
  const onText = (said: string) => void heard.push(said);
  const { reply, calls } = await ask(
    rawStream(`: PROCESSING\n\n${piece({ role: "assistant", content: "" })}${failure}`),
    {
      onText,
    },
  );
  expect(reply).toMatchObject({ ok: true, text: "Fine", tries: 2 });
  expect(heard).toEqual(["Fine"]);
  expect(calls).toBe(2);
});

test.each([
  ["words", { content: "Fi" }],
  ["thoughts", { reasoning_content: "Hm" }],
])("does not retry a stream that fails after its first %s", async (_, delta) => {
  const listeners = { onText: () => {}, onReasoning: () => {} };
  const { reply, calls } = await ask(rawStream(piece(delta) + failure), listeners);
  expect(reply).toMatchObject({ ok: false, error: { code: "upstream_error", tries: 1 } });
  expect(calls).toBe(1);
});
