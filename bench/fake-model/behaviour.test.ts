import { expect, test } from "vitest";
import { behaviourOf, makeText } from "./behaviour.ts";

test("the address says what the fake model does", () => {
  expect(behaviourOf("/latency-100/errors-5/tool-calculator/chunks-200/words-50/v1/chat/completions")).toEqual({
    latencyMs: 100,
    errors: 5,
    tool: "calculator",
    user: null,
    chunks: 200,
    words: 50,
  });
});

test("segments that are no setting only tell addresses apart", () => {
  expect(behaviourOf("/run-7/v1/chat/completions")).toEqual(behaviourOf("/v1/chat/completions"));
});

test("a text has as many words as asked for, and other seeds give other texts", () => {
  expect(makeText(100).split(" ")).toHaveLength(100);
  expect(makeText(100, 2)).not.toBe(makeText(100, 3));
});
