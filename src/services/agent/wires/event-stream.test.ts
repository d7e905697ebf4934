import { expect, test } from "vitest";
import { createEventStream, prefersEvents } from "./event-stream.ts";

const decoder = new TextDecoder();

test("what was not read yet arrives in one piece, then the end", async () => {
  const stream = createEventStream();
  stream.send({ a: 1 }, "one");
  stream.send("two");
  stream.sendText("[DONE]");
  stream.end();
  const reader = stream.body.getReader();
  const first = await reader.read();
  expect(decoder.decode(first.value)).toBe('event: one\ndata: {"a":1}\n\ndata: "two"\n\ndata: [DONE]\n\n');
  expect((await reader.read()).done).toBe(true);
});

test("says something now and then when there is nothing to say", async () => {
  const stream = createEventStream({ heartbeatMs: 1 });
  const { value } = await stream.body.getReader().read();
  expect(decoder.decode(value)).toBe(": keep-alive\n\n");
  stream.end();
});

test("a client that does not read is let go instead of filling the memory", async () => {
  const stream = createEventStream({ maxWaiting: 1000 });
  for (let index = 0; index < 100; index += 1) stream.send("x".repeat(100));
  expect((await stream.body.getReader().read()).done).toBe(true);
});

test.each([
  ["text/event-stream", true],
  ["Text/Event-Stream".toLowerCase(), true],
  ["text/event-stream, application/json", true],
  ["application/json, text/event-stream", false],
  ["application/json;q=0.5, text/event-stream", true],
  ["text/event-stream;q=0", false],
  ["application/json", false],
  ["*/*", false],
  [undefined, false],
])("Accept: %s → %s", (accept, expected) => {
  expect(prefersEvents(accept)).toBe(expected);
});
