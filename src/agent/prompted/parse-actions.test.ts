import { expect, test } from "vitest";
import { parseActions } from "./parse-actions.ts";

const names = new Set(["calculator", "look"]);
const read = (text: string) => {
  const parsed = parseActions(text, names);
  return { text: parsed.text, calls: parsed.tool_calls.map((call) => [call.name, call.arguments]) };
};
const six = ["calculator", '{"expression":"6*7"}'];

test.each([
  ["the block we ask for", '```tool_call\n{"tool": "calculator", "args": {"expression": "6*7"}}\n```'],
  ["a block without its end", '```tool_call\n{"tool": "calculator", "args": {"expression": "6*7"}}'],
  ["a block on one line", '```tool_call {"tool": "calculator", "args": {"expression": "6*7"}}```'],
  ["tags", '<tool_call>\n{"name": "calculator", "arguments": {"expression": "6*7"}}\n</tool_call>'],
  ["a json block", '```json\n{"action": "calculator", "action_input": {"expression": "6*7"}}\n```'],
  ["an unnamed block", '```\n{"name": "calculator", "parameters": {"expression": "6*7"}}\n```'],
  ["bare JSON", ' {"name": "calculator", "arguments": {"expression": "6*7"}}'],
  [
    "the shape of the OpenAI API",
    '{"type":"function","function":{"name":"calculator","arguments":"{\\"expression\\":\\"6*7\\"}"}}',
  ],
  ["classic ReAct", 'Action: calculator\nAction Input: {"expression":"6*7"}'],
])("a call written as %s is read", (_, text) => {
  expect(read(text)).toEqual({ text: "", calls: [six] });
});

test("what stands before the call is the text, what is made up after it is dropped", () => {
  const reply =
    'Let me see.\n\n```tool_call\n{"tool": "calculator", "args": {"expression":"6*7"}}\n```\n\nResult of calculator:\n41\n```tool_call\n{"tool":"look"}\n```';
  expect(read(reply)).toEqual({ text: "Let me see.", calls: [six] });
  expect(read("Thought: hm\nAction: look\nAction Input: {}\nObservation: it is blue").calls).toEqual([["look", "{}"]]);
});

test("several calls keep their order", () => {
  const reply =
    '```tool_call\n{"tool": "look"}\n```\nand\n```tool_call\n{"tool": "calculator", "args": {"expression": "1}"}}\n```';
  expect(read(reply).calls).toEqual([
    ["look", "{}"],
    ["calculator", '{"expression":"1}"}'],
  ]);
});

test.each([
  "The answer is 42.",
  'Send `{"name": "calculator"}` to the server.',
  '```json\n{"name": "Ada", "age": 36}\n```',
  '{"name": "Ada"}',
  "```js\nconst tool_call = {};\n```",
  "",
  "I would take Action: none.",
])("%j is an answer and stays as it is", (text) => {
  expect(read(text)).toEqual({ text, calls: [] });
});

test("an unknown tool in a marked block is passed on, so that the model can be told", () => {
  expect(read('```tool_call\n{"tool": "abacus", "args": {}}\n```').calls).toEqual([["abacus", "{}"]]);
});

test.each([
  ['```tool_call\n{"tool": "calculator", "args": {"expression": "6*7}\n```', '{"expression": "6*7}'],
  ['```tool_call\n{"tool": "calculator", "args": {\'expression\': 6}}\n```', "{'expression': 6}}"],
])("broken JSON keeps its name for the repair: %j", (text, args) => {
  expect(read(text)).toEqual({ text: "", calls: [["calculator", args]] });
});

test("a text full of braces is read in good time", () => {
  expect(read("{".repeat(200_000)).calls).toEqual([]);
  expect(read("```tool_call\n".repeat(2000)).calls).toEqual([]);
});
