import { expect, test } from "vitest";
import { messages, readFixture } from "../../../test/support/read-fixture.ts";
import { importScenarios } from "../import-scenarios.ts";

test("finds no labels in a table of DeepEval goldens", () => {
  const text =
    "input,actual_output,expected_output,retrieval_context,context,name,comments,source_file,reviewer\n" +
    '"{not: json}",Everest,Mount Everest,heights|peaks,Geography,mountain,Easy,,Ann\n';
  const { scenarios, notes } = importScenarios({ text, name: "goldens.csv" });
  expect(scenarios).toMatchObject([
    {
      id: "mountain",
      description: "Easy",
      interactions: [
        {
          user_message: "{not: json}",
          agent_reply: "Everest",
          reference_reply: "Mount Everest",
          reference_metadata: {},
        },
      ],
    },
  ]);
  expect(notes).toMatchObject([{ line: 2, kind: "kept", message: "kept as metadata, not scored: reviewer" }]);
});

test("reads the turns of DeepEval conversations from JSON in a cell", () => {
  const turns = JSON.stringify([
    { role: "user", content: "Rain?" },
    { role: "assistant", content: "Yes." },
  ]);
  const text = `scenario,turns,expected_outcome\nWeather,"${turns.replaceAll('"', '""')}",Knows it\n`;
  const { scenarios } = importScenarios({ text, name: "goldens.csv" });
  const checks = [{ type: "rubric", text: "Knows it" }];
  expect(scenarios).toMatchObject([{ interactions: [{ user_message: "Rain?", reference_reply: "Yes.", checks }] }]);
});

test("reads DeepEval goldens of one and of many turns", () => {
  const result = readFixture("deepeval-goldens.json");
  expect(result.format).toBe("deepeval");
  expect(result.scenarios).toMatchObject([
    {
      id: "return",
      interactions: [
        { reference_reply: "Within 30 days.", agent_reply: "No", reference_metadata: { intent: "return" } },
      ],
    },
    {
      description: "An angry customer wants to cancel",
      interactions: [
        { reference_reply: "Which order?" },
        { user_message: "The last one.", checks: [{ type: "rubric", text: "The order is cancelled politely" }] },
      ],
    },
  ]);
  expect(messages(result)).toContain(
    "20 | /2 | the golden has no scripted user turns (its conversation would be simulated)",
  );
});

test("reads DeepEval goldens whose turns are JSON text", () => {
  const turns = [
    { role: "user", content: "Where is my order?" },
    { role: "assistant", content: "On its way." },
  ];
  const goldens = [{ scenario: "A late parcel", turns: JSON.stringify(turns), expected_outcome: "It is found" }];
  expect(importScenarios({ text: JSON.stringify(goldens) })).toMatchObject({
    format: "deepeval",
    scenarios: [
      {
        interactions: [
          {
            user_message: "Where is my order?",
            reference_reply: "On its way.",
            checks: [{ type: "rubric", text: "It is found" }],
          },
        ],
      },
    ],
  });
});

test.each(["expected_tools", "expectedTools"])("reads the calls that a golden expects: %s", (field) => {
  const golden = {
    input: "Where is order 8?",
    expected_output: "In Bern.",
    [field]: [{ name: "get_order", input_parameters: { order: 8 } }],
  };
  const { scenarios } = importScenarios({ text: JSON.stringify([golden]), name: "goldens.json", format: "deepeval" });
  expect(scenarios).toMatchObject([
    { interactions: [{ reference_tool_calls: [{ name: "get_order", arguments: { order: 8 } }] }] },
  ]);
});
