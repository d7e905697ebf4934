import { expect, test } from "vitest";
import { readToolCalls } from "./read-tool-call.ts";
import { plainReply } from "./testing/scripted-model.ts";
import { createIdIssuer } from "./tool-call-id.ts";
import { createToolbox } from "./toolbox.ts";
import { defineTool } from "./tool.ts";
import { calculator } from "./tools/calculator.ts";
import { currentTime } from "./tools/current-time.ts";

const remove = defineTool({ name: "remove", description: "", parameters: {}, needsApproval: true, run: () => "gone" });
const clientTools = [{ name: "open_page", description: "", parameters: { type: "object", required: ["url"] } }];
const toolbox = createToolbox({ tools: [calculator(), currentTime(), remove], clientTools });

function read(name: string, text: string, finish_reason = "tool_calls") {
  const reply = { ...plainReply, finish_reason, tool_calls: [{ id: "a", name, arguments: text }] };
  return readToolCalls(reply, { toolbox, issueId: createIdIssuer({ prefix: "call", taken: [] }) })[0];
}

test("a good call is runnable with its arguments", () => {
  const call = read("calculator", '{ "expression": "1" }');
  expect(call).toMatchObject({ kind: "runnable", id: "a", args: { expression: "1" } });
  expect(call?.arguments).toBe('{ "expression": "1" }');
});

test("arguments that were written as JSON twice are read", () => {
  const call = read("calculator", JSON.stringify('{"expression": "1"}'));
  expect(call).toMatchObject({ kind: "runnable", args: { expression: "1" }, arguments: '{"expression": "1"}' });
});

test.each(["functions.calculator", "calculator<|channel|>commentary"])(
  "a call of %s is one of the tool it means",
  (name) => {
    expect(read(name, '{"expression": "1"}')).toMatchObject({ kind: "runnable", name: "calculator" });
  },
);

test("a client's tool is meant too", () => {
  expect(read("functions.open_page", "{}")).toMatchObject({ kind: "handed-out", name: "open_page" });
});

test.each(["", "  ", "{}", "null"])("%j are no arguments", (text) => {
  expect(read("current_time", text)).toMatchObject({ kind: "runnable", args: {}, arguments: "{}" });
});

test.each([
  ["calculator", '{"expression": ', /^the arguments are not valid JSON: /],
  ["calculator", "1 + 1", /^the arguments are not valid JSON: /],
  ["calculator", "[1]", /^the arguments are not a JSON object$/],
  ["calculator", "null", /^the arguments must have required property 'expression'$/],
  ["calculator", '"1 + 1"', /^the arguments are not a JSON object$/],
  ["calculator", '"{}"', /^the arguments must have required property 'expression'$/],
  ["calculator", '"{"', /^the arguments are not valid JSON: /],
  ["calculator", '{"expression":1}', /^\/expression must be string$/],
  ["functions.abacus", "{}", /^there is no tool named "functions.abacus". The tools are: calculator, /],
  ["", "{}", /^there is no tool named ""/],
  ["toString", "{}", /^there is no tool named "toString"/],
])("%s with %j is unusable, and the history gets valid arguments", (name, text, error) => {
  const call = read(name, text);
  expect(call).toMatchObject({ kind: "unusable", arguments: "{}", sent: text, error: expect.stringMatching(error) });
  expect(call?.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

test("arguments that hit the length limit are said to be cut off", () => {
  expect(read("calculator", '{"expression": "1 +', "length")).toMatchObject({
    error: "the arguments are not valid JSON: they were cut off by the reply's length limit",
  });
});

test("no more than 800 characters of unusable arguments are kept", () => {
  expect(read("calculator", "x".repeat(5000))).toMatchObject({ sent: `${"x".repeat(800)}…` });
});

test("a client's tool is handed out, its schema left to the client", () => {
  expect(read("open_page", '{"link":1}')).toMatchObject({ kind: "handed-out", args: { link: 1 } });
  expect(read("open_page", "{")).toMatchObject({ kind: "unusable" });
});

test("a tool that needs approval is handed out", () => {
  expect(read("remove", "{}")).toMatchObject({ kind: "handed-out", name: "remove" });
});

test("calls without an id, or with one that was used, get one of their own", () => {
  const call = { name: "current_time", arguments: "{}" };
  const reply = { ...plainReply, tool_calls: ["a", "a", "", "call00001"].map((id) => ({ ...call, id })) };
  const calls = readToolCalls(reply, { toolbox, issueId: createIdIssuer({ prefix: "call", taken: [] }) });
  expect(calls.map(({ id }) => id)).toEqual(["a", "call00001", "call00002", "call00003"]);
});
