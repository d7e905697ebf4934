import { expect, test } from "vitest";
import { parseActions, parseLeftCalls } from "./parse-actions.ts";

const expression = { type: "object", properties: { expression: { type: "string" }, digits: { type: "integer" } } };
const tools = new Map([
  ["calculator", expression],
  ["look", null],
]);
const read = (text: string) => {
  const parsed = parseActions(text, tools);
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
  ["a bare list in Python", '[calculator(expression="6*7")]'],
  ["bare JSON", ' {"name": "calculator", "arguments": {"expression": "6*7"}}'],
  [
    "the shape of the OpenAI API",
    '{"type":"function","function":{"name":"calculator","arguments":"{\\"expression\\":\\"6*7\\"}"}}',
  ],
  ["classic ReAct", 'Action: calculator\nAction Input: {"expression":"6*7"}'],
  [
    "a json block with the line ends of Windows",
    '```json\r\n{"name": "calculator", "args": {"expression": "6*7"}}\r\n```',
  ],
  ["classic ReAct with a block", 'Action: calculator\nAction Input:\n```json\n{"expression":"6*7"}\n```'],
  ["classic ReAct with those", 'Action: calculator\r\nAction Input: {"expression":"6*7"}\r\n'],
])("reads a call written as %s", (_, text) => {
  expect(read(text)).toEqual({ text: "", calls: [six] });
});

const args = '{"expression":"6*7"}';

test.each([
  ["Mistral", `[TOOL_CALLS][{"name": "calculator", "arguments": ${args}}]`],
  ["Mistral, with its end", `[TOOL_CALLS] [{"name": "calculator", "arguments": ${args}, "id": "a1b2c3d4e"}]</s>`],
  ["Mistral since version 11", `[TOOL_CALLS]calculator[ARGS]${args}`],
  ["Mistral with ids", `[TOOL_CALLS]calculator[CALL_ID]a1b2c3d4e[ARGS]${args}`],
  [
    "DeepSeek",
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>calculator\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    "DeepSeek since 3.1",
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>calculator<｜tool▁sep｜>${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  [
    "DeepSeek since 3.2",
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="calculator">\n<｜DSML｜parameter name="expression" string="true">6*7</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  ["gpt-oss", `<|channel|>commentary to=functions.calculator <|constrain|>json<|message|>${args}<|call|>`],
  ["gpt-oss, without its marks", `commentary to=functions.calculator json${args}`],
  [
    "Kimi",
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.calculator:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  ["Llama", `<|python_tag|>{"name": "calculator", "parameters": ${args}}`],
  ["Llama, in Python", '<|python_tag|>calculator.call(expression="6*7")'],
  ["Llama, in tags", `<function=calculator>${args}</function>`],
  ["Granite", `<|tool_call|>[{"name": "calculator", "arguments": ${args}}]`],
  ["Gemma", '```tool_code\nprint(calculator(expression="6*7"))\n```'],
  ["Qwen", "<tool_call>\n<function=calculator>\n<parameter=expression>\n6*7\n</parameter>\n</function>\n</tool_call>"],
  ["GLM", "<tool_call>calculator\n<arg_key>expression</arg_key>\n<arg_value>6*7</arg_value>\n</tool_call>"],
  [
    "Claude",
    '<function_calls>\n<invoke name="calculator">\n<parameter name="expression">6*7</parameter>\n</invoke>\n</function_calls>',
  ],
])("reads a call in the notation of %s", (_, text) => {
  expect(read(text)).toEqual({ text: "", calls: [six] });
  expect(read(`I will see.\n${text}`)).toEqual({ text: "I will see.", calls: [six] });
});

test.each([
  ["Mistral", `[TOOL_CALLS]look[ARGS]{}[TOOL_CALLS]calculator[ARGS]${args}`],
  ["Gemma", "```tool_code\nlook()\ncalculator(expression='6*7')\n```"],
  [
    "Qwen",
    "<tool_call><function=look></function></tool_call>\n<tool_call><function=calculator><parameter=expression>6*7</parameter></function></tool_call>",
  ],
])("reads two calls in the notation of %s", (_, text) => {
  expect(read(text)).toEqual({ text: "", calls: [["look", "{}"], six] });
});

test("decides between text and number by the schema for values between tags", () => {
  const written = "<function=calculator><parameter=expression>42</parameter><parameter=digits>2</parameter></function>";
  expect(read(written).calls).toEqual([["calculator", '{"expression":"42","digits":2}']]);
  expect(read(written.replace("calculator", "look")).calls).toEqual([["look", '{"expression":42,"digits":2}']]);

  const optional = (type: string) => ({ anyOf: [{ type }, { type: "null" }] });
  const properties = { a: optional("string"), b: optional("string"), c: optional("integer"), d: { $ref: "#/$defs/d" } };
  const orders = new Map([["order", { properties, $defs: { d: { enum: ["1", "2"] } } }]]);
  const given = [
    ["a", "1042"],
    ["b", "null"],
    ["c", "5"],
    ["d", "1"],
  ].map(([key, text]) => `<parameter=${key}>${text}</parameter>`);
  const { tool_calls } = parseActions(`<function=order>${given.join("\n")}</function>`, orders);
  expect(tool_calls.map((call) => call.arguments)).toEqual(['{"a":"1042","b":null,"c":5,"d":"1"}']);
});

test.each([
  [`[TOOL_CALLS]calculator[ARGS]{"expression":`, ["calculator", '{"expression":']],
  ["```tool_code\ncalculator(6*7)\n```", null],
  ["```tool_code\nopen(file='x')\n```", null],
])("leaves the unreadable part of %j to the loop or the reader", (text, call) => {
  expect(read(text)).toEqual(call ? { text: "", calls: [call] } : { text, calls: [] });
});

test("keeps the text before a call and drops invented results after it", () => {
  const reply =
    'Let me see.\n\n```tool_call\n{"tool": "calculator", "args": {"expression":"6*7"}}\n```\n\nResult of calculator:\n41\n```tool_call\n{"tool":"look"}\n```';
  expect(read(reply)).toEqual({ text: "Let me see.", calls: [six] });
  expect(read("Thought: hm\nAction: look\nAction Input: {}\nObservation: it is blue").calls).toEqual([["look", "{}"]]);
});

test("reads escapes in a Python string", () => {
  const written = String.raw`[look(query="caf\u00e9 \x41 \ud83d\ude00\U0001f600 it\'s \\u0041 \U99999999\n")]`;
  expect(read(written).calls).toEqual([["look", JSON.stringify({ query: "café A 😀😀 it's \\u0041 U99999999\n" })]]);
});

test("reads several calls in a Python list", () => {
  expect(read('[look(), calculator(expression="6*7")]')).toEqual({ text: "", calls: [["look", "{}"], six] });
});

test("keeps the order of several calls", () => {
  const reply =
    '```tool_call\n{"tool": "look"}\n```\nand\n```tool_call\n{"tool": "calculator", "args": {"expression": "1}"}}\n```';
  expect(read(reply).calls).toEqual([
    ["look", "{}"],
    ["calculator", '{"expression":"1}"}'],
  ]);
});

const look = '{"tool": "look"}';
const six7 = '{"tool": "calculator", "args": {"expression":"6*7"}}';

test.each([
  ["one after the other", "```tool_call\n" + look + "\n" + six7 + "\n```"],
  ["with a comma", "```tool_call\n" + look + ",\n" + six7 + "\n```"],
  ["as a list", "```tool_call\n[" + look + ", " + six7 + "]\n```"],
  ["as a list on one line", "```tool_call [" + look + ", " + six7 + "]```"],
  ["in tags", "<tool_call>" + look + six7 + "</tool_call>"],
  ["as a list in a json block", "```json\n[" + look + ", " + six7 + "]\n```"],
])("reads two calls in one block, %s", (_, text) => {
  expect(read(text)).toEqual({ text: "", calls: [["look", "{}"], six] });
});

test("keeps the order of calls in different notations", () => {
  const reply = "Action: look\nAction Input: {}\n<tool_call>" + look + "</tool_call>\n```tool_call\n" + six7 + "\n```";
  expect(read(reply).calls).toEqual([["look", "{}"], ["look", "{}"], six]);
});

test.each(["6*7", 'the {"blue"} one', ""])("passes on a ReAct input that is not JSON: %j", (input) => {
  const reply = `Action: look\nAction Input: ${input}\nObservation: {"is": "blue"}`;
  expect(read(reply)).toEqual({ text: "", calls: [["look", input]] });
});

test("keeps a valid call and the broken one after it", () => {
  expect(read("```tool_call\n" + look + '\n{"tool": "calculator", "args": {x}}\n```').calls).toEqual([
    ["look", "{}"],
    ["calculator", "{x}}"],
  ]);
});

test("does not take similar text for an invented result", () => {
  const reply = "Here is my plan.\nResult of the last step: none yet.\n```tool_call\n" + six7 + "\n```";
  expect(read(reply)).toEqual({ text: "Here is my plan.\nResult of the last step: none yet.", calls: [six] });
});

test.each([
  ["<think>Maybe\n```tool_call\n" + look + "\n```\nno.</think>It is blue.", []],
  // The template of some models writes the first tag into the prompt.
  ["Maybe\n```tool_call\n" + look + "\n```\nno.</think>It is blue.", []],
  ["<think>Action: look\nAction Input: {}\n</think>\n```tool_call\n" + six7 + "\n```", [six]],
  ['<think>Perhaps <invoke name="look"> or so.</think>It is blue.', []],
  ['<think>Perhaps <|channel|>commentary to=functions.look json{"a": or so.</think>It is blue.', []],
  ['```tool_call\n{"tool": "look", "args": {"at": "</think>"}}\n```', [["look", '{"at":"</think>"}']]],
  ["```tool_call\n" + look + "\n```\n<think>Was that right?</think>", [["look", "{}"]]],
  ["<think>Hm.</think><tool_call>" + look + "</tool_call><think><tool_call>" + six7 + "</think>", [["look", "{}"]]],
  ["<think>Perhaps Action:\nAction: look\nAction Input: the sky\nor not.</think>It is blue.", []],
  ["<think><tool_call>{'tool': 'look'}</think><tool_call>" + six7, [six]],
  // Never closed: it may have forgotten that it thinks.
  ["<think>I must look.\n```tool_call\n" + look + "\n```", [["look", "{}"]]],
])("ignores calls inside thoughts: %j", (text, calls) => {
  expect(read(text).calls).toEqual(calls);
});

test.each([
  "The answer is 42.",
  'Send `{"name": "calculator"}` to the server.',
  '```json\n{"name": "Ada", "age": 36}\n```',
  '{"name": "Ada"}',
  "```js\nconst tool_call = {};\n```",
  "",
  "I would take Action: none.",
  "```json\n[1, 2]\n```",
  "```tool_call\n```",
  "I tried.\nObservation: it is blue.",
])("keeps %j as an answer", (text) => {
  expect(read(text)).toEqual({ text, calls: [] });
});

test("passes on an unknown tool in a marked block for the repair", () => {
  expect(read('```tool_call\n{"tool": "abacus", "args": {}}\n```').calls).toEqual([["abacus", "{}"]]);
});

test.each([
  ['```tool_call\n{"tool": "calculator", "args": {"expression": "6*7}\n```', '{"expression": "6*7}'],
  ['```tool_call\n{"tool": "calculator", "args": {\'expression\': 6}}\n```', "{'expression': 6}}"],
  ["```tool_call\n{'tool': 'calculator', 'args': {'expression': '6*7'}}\n```", "{'expression': '6*7'}}"],
])("keeps the name in broken JSON for the repair: %j", (text, args) => {
  expect(read(text)).toEqual({ text: "", calls: [["calculator", args]] });
});

test.each(["calculator(6*7)", '{"expression": "6*7"'])("hands back a block that names no tool: %j", (text) => {
  expect(read("```tool_call\n" + text + "\n```")).toEqual({ text: "", calls: [["", text]] });
});

test("reads a text full of braces quickly", () => {
  expect(read("{".repeat(200_000)).calls).toEqual([]);
  expect(read("```tool_call\n".repeat(2000)).calls).toEqual([]);
  expect(read("```" + " ".repeat(250_000)).calls).toEqual([]);
  expect(read("</think>".repeat(30_000)).calls).toEqual([]);
  expect(read("<think>".repeat(30_000) + "</think").calls).toEqual([]);
  expect(read("<think>".repeat(30_000) + "```tool_call\n" + look).calls).toHaveLength(1);
  expect(read("```tool_call\n" + "[".repeat(100_000)).calls).toHaveLength(1);
  expect(read("```tool_code\n" + "a".repeat(250_000)).calls).toEqual([]);
  expect(read("```tool_code\n" + "look(".repeat(50_000)).calls).toEqual([]);
  for (const quote of ["'", '"'])
    expect(read("<tool_call>".repeat(10) + `look(${quote}\\${quote}`.repeat(30_000)).calls).toHaveLength(1);
  expect(read("<function=look>" + "<parameter=a>".repeat(19_000)).calls).toHaveLength(1);
  expect(read("<function=look>".repeat(17_000)).calls).toEqual([]);
  expect(read("<tool_call>look" + "<arg_key>a</arg_key><arg_value>".repeat(8_000)).calls).toHaveLength(1);
  expect(read('<invoke name="look">' + '<parameter name="a">'.repeat(12_000)).calls).toHaveLength(1);
  expect(read("[TOOL_CALLS]look".repeat(16_000)).calls).toHaveLength(1);
  expect(read("```tool_call\n[" + "1,".repeat(130_000) + "1]\n```").calls).toEqual([]);
  expect(read("commentary ".repeat(23_000)).calls).toEqual([]);
});

// A search of the rest of the text for every call that might begin would take a minute for these.
test("reads a reply full of unclosed calls quickly", () => {
  const parts = [
    "<tool_call>",
    "<tool_call>{",
    "<tool_call>look",
    '<tool_call>"',
    "<action>",
    '<tool_call>{"name":"look"}',
  ];
  parts.push("[TOOL_CALLS] ", "[TOOL_CALLS]look[ARGS]{", "<|python_tag|>look(", "<tool_call><function=look>");
  parts.push("<tool_call>look<arg_key>a</arg_key><arg_value>", "<function=look><parameter=a>", "```json\n{");
  parts.push("<｜tool▁call▁begin｜>look<｜tool▁sep｜>{", "\nAction: look\nAction Input: {", "<tool_call>[[[[");
  for (const part of parts) {
    const text = part.repeat(250_000 / part.length);
    read(text);
    parseLeftCalls(text, tools);
    expect(read(`<think>${text}</think>`).calls).toEqual([]);
  }
}, 20_000);

test("reads JSON that names a tool as harmony does", () => {
  const call = '{"name": "functions.look", "arguments": {}}';
  for (const text of [call, `\`\`\`json\n${call}\n\`\`\``])
    expect(read(text).calls).toEqual([["functions.look", "{}"]]);
  expect(parseLeftCalls(`<tool_call>${call}</tool_call>`, tools)?.tool_calls).toHaveLength(1);
});

const hermes = '<tool_call>\n{"name": "look", "arguments": {"query": "x"}}\n</tool_call>';

test.each([
  hermes,
  `<think>I could look.</think>\n\n${hermes}`,
  '[TOOL_CALLS]look{"query": "x"}',
  "<tool_call>\n<function=look>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call><|im_end|>",
  '<|python_tag|>{"name": "look", "parameters": {"query": "x"}}<|eom_id|>',
  '[look(query="x")]',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"query": "x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
])("reads %j left in the text by a server with tools", (text) => {
  const left = parseLeftCalls(text, tools);
  expect(left?.tool_calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
    ["look", { query: "x" }],
  ]);
});

test.each([
  "The answer is 42.",
  "Is 1 < 2? Yes.",
  `\`\`\`xml\n${hermes}\n\`\`\``,
  `A call is written like this: ${hermes} Nothing else is needed.`,
  hermes.replace("look", "another"),
  '{"name": "look", "arguments": {"query": "x"}}',
  "[look](query.md)",
  "[1, look()]",
  "[look() and more]",
  '[look(query="x"), another()]',
  "[look(the cat)]",
  "[]",
  `<think>${hermes}</think>The answer is 42.`,
])("keeps %j as an answer of a server with tools", (text) => {
  expect(parseLeftCalls(text, tools)).toBeNull();
});
