import fc from "fast-check";
import { expect, test } from "vitest";
import { TextChunks } from "./text-chunks.ts";

const chunk = (delta: object, more: object = {}) => ({ id: "c", model: "m", choices: [{ index: 0, delta, ...more }] });

function learned(data: string): TextChunks {
  const chunks = new TextChunks();
  chunks.learn(data, JSON.parse(data));
  return chunks;
}

test("after one chunk, the next ones are read by their text alone, whatever it is", () => {
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

test("a chunk that differs in anything else is read in full", () => {
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

test("text that stands elsewhere too is not mistaken for the reply", () => {
  const twice = learned('{"content":"Hello","choices":[{"index":0,"delta":{"content":"Hello"}}]}');
  expect(twice.read('{"content":"Bye","choices":[{"index":0,"delta":{"content":"Hello"}}]}')).toBeNull();
  const repeated = learned('{"choices":[{"index":0,"delta":{"content":"Hello","content":"Hello"}}]}');
  expect(repeated.read('{"choices":[{"index":0,"delta":{"content":"Bye","content":"Hello"}}]}')).toBeNull();
});

test("nothing is learned from a chunk that brings more than text", () => {
  const usage = { ...chunk({ content: "Hello" }), usage: { total_tokens: 1 } };
  const groq = { ...chunk({ content: "Hello" }), x_groq: { usage: { total_tokens: 1 } } };
  for (const data of [usage, groq, chunk({ content: "" }), chunk({ content: "a", refusal: "b" }), []]) {
    expect(learned(JSON.stringify(data)).read(JSON.stringify(data))).toBeNull();
  }
});
