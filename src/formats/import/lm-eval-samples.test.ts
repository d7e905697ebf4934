import { expect, test } from "vitest";
import { importScenarios } from "../import-scenarios.ts";

const doc = { question: "How many ducks?", answer: "#### 3" };
const rest = {
  doc,
  target: "#### 3",
  resps: [["3 ducks"]],
  filtered_resps: ["3"],
  metrics: ["exact_match"],
  exact_match: 1,
};
const request = (prompt: unknown, settings: unknown) => ({ gen_args_0: { arg_0: prompt, arg_1: settings } });
const read = (samples: readonly object[]) =>
  importScenarios({ text: samples.map((sample) => JSON.stringify(sample)).join("\n"), name: "samples_gsm8k.jsonl" });

test("a sample of lm-eval is asked as it was sent, once for all filters, and has no labels of its run", () => {
  const sample = { ...rest, doc_id: 0, arguments: request("Question: How many ducks?\nAnswer:", { until: ["Q:"] }) };
  const { scenarios, notes } = read([
    { ...sample, filter: "strict-match" },
    { ...sample, filter: "flexible-extract" },
  ]);
  expect(scenarios).toMatchObject([
    {
      id: "0",
      interactions: [
        {
          user_message: "Question: How many ducks?\nAnswer:",
          reference_reply: "#### 3",
          agent_reply: "3 ducks",
          reference_metadata: {},
        },
      ],
    },
  ]);
  const message = "the reply as the filter flexible-extract reads it; the sample is here already";
  expect(notes).toEqual([{ kind: "dropped", line: 2, message }]);
});

test("a chat of lm-eval is its messages; what asks for probabilities is left out", () => {
  const chat = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "How many ducks?" },
  ];
  const { scenarios, notes } = read([
    { ...rest, doc_id: 1, arguments: request([JSON.stringify(chat)], { until: [] }) },
    { ...rest, doc_id: 2, arguments: [["How many ducks?", { until: [] }]] },
    { ...rest, doc_id: 3, arguments: request("How many ducks?", " three") },
  ]);
  expect(scenarios).toMatchObject([
    { id: "1", system_prompt: "Be brief.", interactions: [{ user_message: "How many ducks?" }] },
    { id: "2", interactions: [{ user_message: "How many ducks?" }] },
  ]);
  const message = "the sample asks for probabilities of given answers, not for a reply";
  expect(notes).toEqual([{ kind: "dropped", line: 3, message }]);
  const alone = read([{ ...rest, doc_id: 3, arguments: request("How many ducks?", " three") }]);
  expect(alone).toMatchObject({ scenarios: [], notes: [{ message }] });
});
