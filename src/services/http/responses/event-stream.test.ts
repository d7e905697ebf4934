import { expect, test } from "vitest";
import { prefersEvents } from "./event-stream.ts";

test.each([
  ["text/event-stream", true],
  ["Text/Event-Stream", true],
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
