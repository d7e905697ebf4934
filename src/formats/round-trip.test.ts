import fc from "fast-check";
import { expect, test } from "vitest";
import { scenarioFormats } from "./formats.ts";
import { importScenarios } from "./import-scenarios.ts";
import type { FileScenario } from "./scenario-file.ts";
import { arbitraryScenarios } from "./testing/arbitrary-scenarios.ts";

const exporterOf = (id: string) => {
  const format = scenarioFormats.find((entry) => entry.id === id);
  if (!format?.write) throw new Error(`no exporter for ${id}`);
  return format.write;
};

const whole: readonly string[] = ["json", "jsonl", "yaml", "csv", "promptfoo", "openai-evals"];

test.each(whole)("restores the same scenarios from %s", (format) => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const { text } = exporterOf(format)(scenarios);
      const result = importScenarios({ text, format });
      expect(result.scenarios).toEqual(scenarios);
      const settings = "settings of the run, not of a scenario: providers";
      expect(result.notes.filter(({ kind, message }) => kind !== "kept" && message !== settings)).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test.each(whole.filter((format) => format !== "csv"))("detects %s by its content", (format) => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const { text } = exporterOf(format)(scenarios);
      const { format: detected } = importScenarios({ text });
      // A single JSON line is also JSON.
      expect(detected).toBe(format === "jsonl" && scenarios.length === 1 ? "json" : format);
    }),
    { numRuns: 20 },
  );
});

test("detects CSV by its content", () => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      expect(importScenarios(exporterOf("csv")(scenarios))).toMatchObject({ format: "csv", scenarios });
    }),
    { numRuns: 20 },
  );
});

/** The parts of a scenario that a list of messages can express. */
const spoken = ({ system_prompt, interactions }: FileScenario) => ({
  ...(system_prompt !== undefined && { system_prompt }),
  turns: interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]),
});

test("restores ids and turns from ShareGPT, and notes what it does not support", () => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const { text, notes } = exporterOf("sharegpt")(scenarios);
      const result = importScenarios({ text });
      expect(result.format).toBe("sharegpt");
      expect(result.scenarios.map(({ id }) => id)).toEqual(scenarios.map(({ id }) => id));
      expect(result.scenarios.map(spoken)).toEqual(scenarios.map(spoken));
      expect(notes.length).toBeGreaterThanOrEqual(scenarios.length);
    }),
    { numRuns: 20 },
  );
});

test("notes the unsupported parts of a scenario and keeps the rest", () => {
  const { notes } = exporterOf("sharegpt")([{ id: "delivery", description: "When?", interactions: [], tags: ["a"] }]);
  expect(notes.map(({ message }) => message)).toEqual(["delivery: the format does not support description, tags"]);
});

const acting: FileScenario = {
  ...(importScenarios({
    text: JSON.stringify({
      id: "cancel",
      interactions: [
        {
          id: "turn-1",
          user_message: "Cancel order 7, please.",
          reference_reply: "It is cancelled.",
          reference_tool_calls: [
            { name: "get_order", arguments: { order: 7 } },
            { name: "cancel", arguments: { order: 7, query: { $literal: { $regex: "x" } } } },
          ],
        },
        {
          id: "turn-2",
          user_message: "And 8?",
          reference_reply: "",
          reference_tool_calls: [{ name: "get_order", arguments: { order: 8 } }],
        },
      ],
      world: {
        tools: ["get_order", "cancel"].map((name) => ({
          name,
          description: "A tool.",
          parameters: { type: "object", properties: { order: { type: "number" } } },
        })),
        recorded: [
          { name: "get_order", arguments: { order: 7 }, result: { status: "paid" } },
          { name: "cancel", arguments: { order: 7, query: { $regex: "x" } }, result: "ok" },
        ],
      },
    }),
  }).scenarios[0] as FileScenario),
};

test.each(["openai-chat", "sharegpt"] as const)("restores tool calls and recorded results from %s", (format) => {
  const { text, notes } = exporterOf(format)([acting]);
  expect(notes.filter(({ message }) => /tool|world/.test(message))).toEqual([]);
  const [read] = importScenarios({ text, format }).scenarios;
  expect(read?.interactions.map(({ reference_tool_calls }) => reference_tool_calls)).toEqual(
    acting.interactions.map(({ reference_tool_calls }) => reference_tool_calls),
  );
  expect(read?.interactions.map(({ reference_reply }) => reference_reply)).toEqual(["It is cancelled.", ""]);
  expect(read?.world?.recorded).toEqual(acting.world?.recorded);
  const declared = acting.world?.tools.map(({ name, description }) => ({ name, description }));
  expect(read?.world?.tools).toMatchObject(declared ?? []);
});

test.each([
  ["promptfoo", '{"type":"tool-call-f1","value":["get_order"]}'],
  ["openai-evals", '"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_order"'],
] as const)("writes tool calls where %s expects them", (format, part) => {
  const { text } = exporterOf(format)([acting], "json");
  expect(JSON.stringify(JSON.parse(text))).toContain(part);
});

test("names tool calls and worlds that a chat cannot hold", () => {
  const [turn] = acting.interactions;
  if (!turn) throw new Error("no turn");
  const { world: _, ...alone } = acting;
  const anyArguments = { ...turn, reference_tool_calls: [{ name: "get_order" }] };
  const state = { state: { a: 1 }, tools: [], recorded: [] };
  const cases: [FileScenario, string][] = [
    [{ ...alone, interactions: [turn] }, "the expected tool calls"],
    [{ ...acting, interactions: [anyArguments] }, "the expected tool calls"],
    [{ ...acting, world: state }, "world"],
    [{ ...acting, expect: { said: ["x"] } }, "tool rules"],
  ];
  for (const [scenario, lost] of cases) {
    for (const format of ["openai-chat", "sharegpt"] as const) {
      const { notes } = exporterOf(format)([scenario]);
      expect(notes.map(({ message }) => message).join("\n")).toContain(lost);
    }
  }
});

test("converts ADK rubrics to checks", () => {
  const rubric = (id: string, text: string) => ({ rubric_id: id, rubric_content: { text_property: text } });
  const conversation = [
    {
      user_content: { parts: [{ text: "Hi" }] },
      rubrics: [rubric("polite", "Is polite"), rubric("polite", "Says hi")],
    },
  ];
  const evalCase = {
    eval_id: "greets",
    conversation,
    rubrics: [rubric("short", "Is short")],
    final_session_state: { a: 1 },
  };
  const { scenarios, notes } = importScenarios({ text: JSON.stringify({ eval_cases: [evalCase] }) });
  const checks = [
    { type: "rubric", name: "polite", text: "Is polite" },
    { type: "rubric", text: "Says hi" },
    { type: "rubric", name: "short", text: "Is short" },
  ];
  expect(scenarios[0]?.interactions[0]?.checks).toEqual(checks);
  expect(notes.map(({ message }) => message)).toEqual([
    "rubrics of the whole case became checks of its last turn",
    "the session's state is kept as metadata and not checked: a",
  ]);
});

const withoutCalls = (scenarios: readonly FileScenario[]): FileScenario[] =>
  scenarios.map((scenario) => ({
    ...scenario,
    interactions: scenario.interactions.map((turn) => ({ ...turn, reference_tool_calls: undefined })),
  }));

test("restores the turns before the first without a reference reply from OpenAI chat lines", () => {
  fc.assert(
    fc.property(arbitraryScenarios, (given) => {
      const scenarios = withoutCalls(given);
      const { text, notes } = exporterOf("openai-chat")(scenarios);
      const ids = notes.filter(({ message }) => message.endsWith("ids of scenarios and turns"));
      expect(ids).toHaveLength(text === "" ? 0 : 1);
      const taught = scenarios.map(spoken).map(({ turns, ...rest }) => {
        const end = turns.findIndex(([, reference]) => reference === "");
        return { ...rest, turns: end < 0 ? turns : turns.slice(0, end) };
      });
      const expected = taught.filter(({ turns }) => turns.length > 0);
      const result = text === "" ? { scenarios: [] } : importScenarios({ text, format: "openai-chat" });
      expect(result.scenarios.map(spoken)).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test("keeps an unpaired surrogate as an escape, or replaces it with a note", () => {
  const { scenarios } = importScenarios({ text: '{"id":"a","interactions":[{"user_message":"x\\ud800y"}]}' });
  for (const format of ["json", "yaml", "promptfoo"] as const) {
    const { text } = exporterOf(format)(scenarios);
    expect(text.isWellFormed()).toBe(true);
    expect(importScenarios({ text, format }).scenarios).toEqual(scenarios);
  }
  const { text, notes } = exporterOf("csv")(scenarios);
  expect(text).toContain("x\uFFFDy");
  expect(notes).toMatchObject([
    { kind: "changed", message: "a, turn 1: an unpaired surrogate cannot be written as UTF-8; it was replaced" },
  ]);
});
