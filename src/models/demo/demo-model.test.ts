import { expect, test } from "vitest";
import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import { cutToTokens, defineDemoModel, demoFingerprint, countDemoTokens } from "./demo-model.ts";

const request: ChatRequest = { messages: [{ role: "user", content: "Hello there" }] };
const { signal } = new AbortController();
const text = "One two three four five six seven eight nine ten.";
const model = defineDemoModel("demo/test", () => ({ text }));

test("answers with the demo fingerprint, token counts and a unique id", async () => {
  const [first, second] = [await model(request, { signal }), await model(request, { signal })];
  expect(first).toMatchObject({
    ok: true,
    text,
    finish_reason: "stop",
    model: "demo/test",
    system_fingerprint: demoFingerprint,
    usage: { prompt_tokens: 5, completion_tokens: 11, total_tokens: 16 },
    metadata: null,
    first_token_ms: null,
  });
  expect(first).not.toHaveProperty("completion_id", (second as { completion_id?: string }).completion_id);
});

test("streams the same text in a few pieces", async () => {
  const pieces: string[] = [];
  const reply = await model(request, { signal, onText: (piece) => pieces.push(piece) });
  expect(pieces.join("")).toBe(text);
  expect(pieces).toHaveLength(3);
  expect(reply).toMatchObject({ text, first_token_ms: expect.any(Number) });
});

test("cuts an answer at the length limit and reports it", async () => {
  const reply = await model({ ...request, parameters: { max_tokens: 3 } }, { signal });
  expect(reply).toMatchObject({ text: "One two three", finish_reason: "length", usage: { completion_tokens: 3 } });
});

test("ends an answer before a stop sequence", async () => {
  const reply = await model({ ...request, parameters: { stop: ["nine", "four", ""] } }, { signal });
  expect(reply).toMatchObject({ text: "One two three ", finish_reason: "stop" });
});

test("gives tool calls unique ids and finishes with tool_calls", async () => {
  const call = { name: "calculator", arguments: '{"expression":"1 + 1"}' };
  const caller = defineDemoModel("demo/test", () => ({ text: "", tool_calls: [call, call] }));
  const reply = await caller(request, { signal });
  expect(reply).toMatchObject({ finish_reason: "tool_calls", tool_calls: [call, call] });
  const ids = reply.ok ? reply.tool_calls.map(({ id }) => id) : [];
  expect(new Set(ids).size).toBe(2);
});

test("fails for requests that a demo cannot serve", async () => {
  const structured = await model({ ...request, format: { name: "label", schema: {} } }, { signal });
  expect(structured).toMatchObject({ ok: false, error: { code: "upstream_rejected", upstream_status: 400 } });
  const forced = await model({ ...request, tool_choice: "required" }, { signal });
  expect(forced).toMatchObject({ ok: false, error: { code: "upstream_rejected", retryable: false } });
});

test("returns a failure as data", async () => {
  const failing = defineDemoModel("x", () => ({ failure: "upstream_error", detail: "down", upstream_status: 503 }));
  expect(await failing(request, { signal })).toEqual({
    ok: false,
    error: { code: "upstream_error", detail: "down", upstream_status: 503, tries: 1, retryable: true },
    latency_ms: expect.any(Number),
  });
});

test("rejects on abort, before the call and while waiting", async () => {
  await expect(model(request, { signal: AbortSignal.abort() })).rejects.toThrow(/aborted/);
  const controller = new AbortController();
  const slow = defineDemoModel("demo/slow", () => ({ text }), { latencyMs: 60_000 });
  const reply = slow(request, { signal: controller.signal });
  controller.abort();
  await expect(reply).rejects.toThrow(/aborted/);
});

test.each([
  ["", 0],
  ["Hello", 1],
  ["Hello, world!", 4],
  ["replacement", 2],
  ["  \n ", 0],
  ["👍", 1],
])("%j is %i tokens", (text, tokens) => {
  expect(countDemoTokens(text)).toBe(tokens);
});

test("estimates a huge text by its beginning", () => {
  expect(countDemoTokens("word ".repeat(1_000_000))).toBe(1_000_000);
});

test("cuts a text at a token within the limit", () => {
  expect(cutToTokens("Hello, my friend", 3)).toBe("Hello, my");
  expect(cutToTokens("Hello, my friend", 4)).toBe("Hello, my friend");
  expect(cutToTokens("replacement", 1)).toBe("");
});
