import fc from "fast-check";
import { expect, test } from "vitest";
import { scenarioFormats } from "./formats.ts";
import { importScenarios } from "./import-scenarios.ts";
import type { FileScenario, ImportFormat } from "./scenario-file.ts";
import { arbitraryScenarios } from "./testing/arbitrary-scenarios.ts";

const exporterOf = (id: ImportFormat) => {
  const format = scenarioFormats.find((entry) => entry.id === id);
  if (!format || !("export" in format)) throw new Error(`no exporter for ${id}`);
  return format.export;
};

const whole: readonly ImportFormat[] = [
  "json",
  "jsonl",
  "yaml",
  "csv",
  "promptfoo",
  "inspect",
  "langsmith",
  "langfuse",
  "openai-evals",
  "deepeval",
];

test.each(whole)("%s gives back the same scenarios", (format) => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const { text } = exporterOf(format)(scenarios);
      const result = importScenarios({ text, format });
      expect(result.scenarios).toEqual(scenarios);
      const settings = "settings of the run, not of a scenario: providers";
      expect(result.notes.filter(({ message }) => message !== settings)).toEqual([]);
    }),
    { numRuns: 80 },
  );
});

test.each(whole.filter((format) => format !== "csv"))("%s is told by its content", (format) => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const { text } = exporterOf(format)(scenarios);
      const { format: detected } = importScenarios({ text });
      // A single line of JSON is JSON as well.
      expect(detected).toBe(format === "jsonl" && scenarios.length === 1 ? "json" : format);
    }),
    { numRuns: 25 },
  );
});

test("CSV is told by its content", () => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      expect(importScenarios(exporterOf("csv")(scenarios))).toMatchObject({ format: "csv", scenarios });
    }),
    { numRuns: 25 },
  );
});

/** What a list of messages can hold. */
const spoken = ({ system_prompt, interactions }: FileScenario) => ({
  ...(system_prompt !== undefined && { system_prompt }),
  turns: interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]),
});

test("ShareGPT gives back ids and every turn, and says what it has no place for", () => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const { text, notes } = exporterOf("sharegpt")(scenarios);
      const result = importScenarios({ text });
      expect(result.format).toBe("sharegpt");
      expect(result.scenarios.map(({ id }) => id)).toEqual(scenarios.map(({ id }) => id));
      expect(result.scenarios.map(spoken)).toEqual(scenarios.map(spoken));
      expect(notes.length).toBe(scenarios.length);
    }),
    { numRuns: 60 },
  );
});

test("what a format has no place for is named as a part of its scenario, which itself is kept", () => {
  const { notes } = exporterOf("sharegpt")([{ id: "delivery", description: "When?", interactions: [], tags: ["a"] }]);
  expect(notes.map(({ message }) => message)).toEqual([
    "description, tags of delivery: the format has no place for them",
  ]);
});

test("ADK eval sets give back ids, rubrics and every turn that says something", () => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const spokenIn = scenarios
        .map((scenario) => ({ ...scenario, interactions: scenario.interactions.filter((turn) => turn.user_message) }))
        .filter(({ interactions }) => interactions.length > 0);
      const result = importScenarios(exporterOf("adk")(scenarios));
      expect(result.format).toBe("adk");
      expect(result.scenarios.map(({ id }) => id)).toEqual(spokenIn.map(({ id }) => id));
      const turns = ({ interactions }: FileScenario) =>
        interactions.map(({ id, user_message, reference_reply, checks = [] }) => [
          id,
          user_message,
          reference_reply,
          checks.filter(({ type }) => type === "rubric"),
        ]);
      expect(result.scenarios.map(turns)).toEqual(spokenIn.map(turns));
    }),
    { numRuns: 60 },
  );
});

test("rubrics of ADK are checks by their ids, and rubrics again on the way back", () => {
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
    "the session's expected state: a",
    "rubrics of the whole case became checks of its last turn",
  ]);
  const exported = exporterOf("adk")(scenarios);
  expect(exported.notes).toEqual([]);
  expect(importScenarios(exported).scenarios[0]?.interactions[0]?.checks).toEqual(checks);
});

test("OpenAI chat lines give back the turns up to the first without a reference reply", () => {
  fc.assert(
    fc.property(arbitraryScenarios, (scenarios) => {
      const { text, notes } = exporterOf("openai-chat")(scenarios);
      const ids = notes.filter(({ message }) => message.startsWith("ids of scenarios and turns"));
      expect(ids).toHaveLength(text === "" ? 0 : 1);
      const taught = scenarios.map(spoken).map(({ turns, ...rest }) => {
        const end = turns.findIndex(([, reference]) => reference === "");
        return { ...rest, turns: end < 0 ? turns : turns.slice(0, end) };
      });
      const expected = taught.filter(({ turns }) => turns.length > 0);
      const result = text === "" ? { scenarios: [] } : importScenarios({ text, format: "openai-chat" });
      expect(result.scenarios.map(spoken)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test("half a character survives as an escape, or is replaced and named where the format has none", () => {
  const { scenarios } = importScenarios({ text: '{"id":"a","interactions":[{"user_message":"x\\ud800y"}]}' });
  for (const format of ["json", "yaml", "promptfoo"] as const) {
    const { text } = exporterOf(format)(scenarios);
    expect(text.isWellFormed()).toBe(true);
    expect(importScenarios({ text, format }).scenarios).toEqual(scenarios);
  }
  const { text, notes } = exporterOf("csv")(scenarios);
  expect(text).toContain("x\uFFFDy");
  expect(notes).toMatchObject([
    { kind: "changed", message: "a, turn 1: half a character cannot be written as UTF-8; it was replaced" },
  ]);
});
