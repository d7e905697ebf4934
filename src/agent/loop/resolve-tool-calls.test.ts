import { expect, test } from "vitest";
import { resolveToolCalls } from "./resolve-tool-calls.ts";
import { plainReply } from "../testing/scripted-model.ts";
import { createIdIssuer } from "../messages/tool-call-id.ts";
import { createToolbox } from "../tools/toolbox.ts";
import { defineTool } from "../tools/tool.ts";
import { calculator } from "../tools/calculator.ts";
import { currentTime } from "../tools/current-time.ts";

const remove = defineTool({ name: "remove", description: "", parameters: {}, needsApproval: true, run: () => "gone" });
const clientTools = [{ name: "open_page", description: "", parameters: { type: "object", required: ["url"] } }];
const toolbox = createToolbox({ tools: [calculator(), currentTime(), remove], clientTools });

function read(name: string, text: string, finish_reason = "tool_calls") {
  const reply = { ...plainReply, finish_reason, tool_calls: [{ id: "a", name, arguments: text }] };
  return resolveToolCalls(reply, { toolbox, issueId: createIdIssuer({ prefix: "call", taken: [] }) })[0];
}

test("resolves a valid call with its arguments", () => {
  const call = read("calculator", '{ "expression": "1" }');
  expect(call).toMatchObject({ kind: "runnable", id: "a", args: { expression: "1" } });
  expect(call?.arguments).toBe('{ "expression": "1" }');
});

test("parses arguments that were encoded as JSON twice", () => {
  const call = read("calculator", JSON.stringify('{"expression": "1"}'));
  expect(call).toMatchObject({ kind: "runnable", args: { expression: "1" }, arguments: '{"expression": "1"}' });
});

test.each(["functions.calculator", "calculator<|channel|>commentary"])(
  "resolves %s to the tool it refers to",
  (name) => {
    expect(read(name, '{"expression": "1"}')).toMatchObject({ kind: "runnable", name: "calculator" });
  },
);

test("resolves such a name to a client's tool too", () => {
  expect(read("functions.open_page", "{}")).toMatchObject({ kind: "handed-out", name: "open_page" });
});

test.each(["", "  ", "{}", "null"])("reads %j as no arguments", (text) => {
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
])("marks %s with %j as unusable, with valid arguments for the history", (name, text, error) => {
  const call = read(name, text);
  expect(call).toMatchObject({ kind: "unusable", arguments: "{}", sent: text, error: expect.stringMatching(error) });
  expect(call?.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

test("reports arguments that were cut off by the length limit", () => {
  expect(read("calculator", '{"expression": "1 +', "length")).toMatchObject({
    error: "the arguments are not valid JSON: they were cut off by the reply's length limit",
  });
});

test("keeps at most 800 characters of unusable arguments", () => {
  expect(read("calculator", "x".repeat(5000))).toMatchObject({ sent: `${"x".repeat(800)}…` });
});

test("hands out a client's tool without checking its schema", () => {
  expect(read("open_page", '{"link":1}')).toMatchObject({ kind: "handed-out", args: { link: 1 } });
  expect(read("open_page", "{")).toMatchObject({ kind: "unusable" });
});

test("hands out a tool that needs approval", () => {
  expect(read("remove", "{}")).toMatchObject({ kind: "handed-out", name: "remove" });
});

test("gives a new id to calls with no id or a used one", () => {
  const call = { name: "current_time", arguments: "{}" };
  const reply = { ...plainReply, tool_calls: ["a", "a", "", "call00001"].map((id) => ({ ...call, id })) };
  const calls = resolveToolCalls(reply, { toolbox, issueId: createIdIssuer({ prefix: "call", taken: [] }) });
  expect(calls.map(({ id }) => id)).toEqual(["a", "call00001", "call00002", "call00003"]);
});
