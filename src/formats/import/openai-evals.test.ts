import { expect, test } from "vitest";
import { messages, readFixture } from "../../../test/support/read-fixture.ts";
import { importScenarios } from "../import-scenarios.ts";

test("OpenAI Evals output items and data lines", () => {
  const result = readFixture("openai-evals-output.jsonl");
  expect(result.format).toBe("openai-evals");
  expect(result.scenarios).toMatchObject([
    {
      id: "5",
      system_prompt: "Name the queue.",
      interactions: [
        {
          user_message: "My card was charged twice",
          reference_reply: "billing",
          agent_reply: "payments",
          reference_metadata: { intent: "complaint" },
        },
      ],
    },
    { interactions: [{ user_message: "Is it open?", reference_reply: "Yes" }] },
  ]);
  expect(messages(result)).toContain("1 | results of the past run: String check failed");
  expect(messages(result)).toContain("2 | another reply to item 5; the first was kept");
});

test("OpenAI Evals samples with several ideal answers", () => {
  const result = readFixture("openai-evals-samples.jsonl");
  expect(result.format).toBe("openai-evals");
  expect(result.scenarios).toMatchObject([
    {
      system_prompt: "Complete the phrase.",
      interactions: [{ user_message: "Once upon a ", reference_reply: "time" }],
    },
    {
      interactions: [
        {
          user_message: "The first US president was ",
          reference_reply: "George Washington",
          references: ["Washington"],
        },
      ],
    },
  ]);
});

test("a registry of OpenAI's evals says which files have their samples", () => {
  const text = "move:\n  id: move.v0\nmove.v0:\n  class: evals:Match\n  args:\n    samples_jsonl: move/samples.jsonl\n";
  const { format, notes } = importScenarios({ text, name: "move.yaml" });
  expect(format).toBe("openai-evals");
  expect(notes.map(({ message }) => message)).toEqual([
    "this says how evals are made; import their samples: move/samples.jsonl",
  ]);
});
