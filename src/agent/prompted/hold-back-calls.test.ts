import fc from "fast-check";
import { expect, test } from "vitest";
import { holdBackCalls } from "./hold-back-calls.ts";
import { parseActions } from "./parse-actions.ts";

const tools = new Map([["look", null]]);

function stream(reply: string, pieceLength: number) {
  const shown: string[] = [];
  const held = holdBackCalls((text) => shown.push(text));
  for (let start = 0; start < reply.length; start += pieceLength) held.onText(reply.slice(start, start + pieceLength));
  const beforeEnd = shown.join("");
  held.finish(parseActions(reply, tools).text);
  return { beforeEnd, all: shown.join("") };
}

test("streams plain text nearly at once", () => {
  const reply = "A long answer without any call in it, as most answers are.";
  const { beforeEnd, all } = stream(reply, 3);
  expect(beforeEnd.length).toBeGreaterThan(30);
  expect(all).toBe(reply);
});

test.each([
  'Let me see.\n\n```tool_call\n{"tool": "look"}\n```',
  'Let me see. <tool_call>{"name": "look"}</tool_call>',
  "Let me see.\nAction: look\nAction Input: {}",
  "Let me see.[TOOL_CALLS]look[ARGS]{}",
  "Let me see.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
  "Let me see. commentary to=functions.look json{}",
  "Let me see.\n<function=look></function>",
  'Let me see.\n<function_calls><invoke name="look"></invoke></function_calls>',
])("shows no part of a call: %j", (reply) => {
  for (const pieceLength of [1, 2, 5, 100]) expect(stream(reply, pieceLength).all).toBe("Let me see.");
});

test("shows no part of a reply that is a list of calls", () => {
  for (const pieceLength of [1, 2, 5, 100]) expect(stream("[look()]", pieceLength).all).toBe("");
});

test("shows code that turns out not to be a call", () => {
  const reply = "Write this:\n```js\nlet a = {};\n```\nThat is all.";
  expect(stream(reply, 4)).toEqual({ beforeEnd: "Write this:", all: reply });
});

test("never splits a character", () => {
  const reply = "I am 🙂 fine 🙂🙂🙂 today, thank you very much 🙂!";
  for (const pieceLength of [1, 2, 3, 7]) {
    const shown: string[] = [];
    const held = holdBackCalls((text) => shown.push(text));
    for (let start = 0; start < reply.length; start += pieceLength)
      held.onText(reply.slice(start, start + pieceLength));
    held.finish(reply);
    expect(shown.every((text) => text.isWellFormed())).toBe(true);
    expect(shown.join("")).toBe(reply);
  }
});

// In a time that grows with the square of the length they would take minutes.
test.each([
  ["word ", 200_000],
  [" \n", 128_000],
])("streams a long text of %j quickly", (word, times) => {
  const reply = word.repeat(times);
  const shown: string[] = [];
  const held = holdBackCalls((text) => shown.push(text));
  for (let start = 0; start < reply.length; start += 5) held.onText(reply.slice(start, start + 5));
  held.finish(reply);
  expect(shown.join("")).toBe(reply);
});

test("shows exactly the text of a reply, whatever its chunks", () => {
  const part = fc.constantFrom(
    "Hi. ",
    "\n",
    " ",
    "```",
    "tool_call\n",
    '{"tool": "look"}',
    "Action: look\n",
    "Action Input: {}",
    "<tool_call>",
    "[TOOL_CALLS]",
    "look[ARGS]{}",
    "<｜tool▁call▁begin｜>",
    "commentary",
    " to=functions.look",
    "<|python_tag|>",
    "<function=look>",
    "</function>",
    '<invoke name="look">',
    "look()",
    "[look()]",
    "<think>",
    "</think>",
    "\nResult of ",
    "[",
    "]",
    "{",
    "x",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }), (parts, pieceLength) => {
      const reply = parts.join("");
      expect(stream(reply, pieceLength).all).toBe(parseActions(reply, tools).text);
    }),
    { numRuns: 1000 },
  );
});
