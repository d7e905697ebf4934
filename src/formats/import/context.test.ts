import { expect, test } from "vitest";
import { importScenarios } from "../import-scenarios.ts";

const passages = [{ text: "Paris is the capital." }, { text: "France is in Europe." }];
const texts = passages.map(({ text }) => text);

const contextsOf = (text: string, name: string) => {
  const { scenarios, notes } = importScenarios({ text, name });
  return { contexts: scenarios.map(({ interactions }) => interactions.at(-1)?.context), notes, scenarios };
};

test.each<[string, object, string]>([
  [
    "Ragas",
    {
      user_input: "Capital?",
      response: "Paris",
      reference: "Paris",
      retrieved_contexts: texts,
      reference_contexts: ["x"],
    },
    "rows.jsonl",
  ],
  [
    "DeepEval",
    { input: "Capital?", actual_output: "Paris", expected_output: "Paris", retrieval_context: texts },
    "d.jsonl",
  ],
  ["Langfuse", { input: { question: "Capital?", context: texts }, expectedOutput: "Paris" }, "langfuse.jsonl"],
  [
    "LangSmith",
    {
      inputs: { question: "Capital?" },
      outputs: { answer: "Paris", contexts: passages.map(({ text }) => ({ page_content: text })) },
    },
    "langsmith.jsonl",
  ],
])("keeps the retrieved passages of %s", (_tool, item, name) => {
  const { contexts, notes } = contextsOf(`${JSON.stringify(item)}\n`, name);
  expect(contexts).toEqual([passages]);
  expect(
    notes.filter(
      ({ message }) => /retriev|contexts?\b(?! is used)/.test(message) && !message.includes("reference_contexts"),
    ),
  ).toEqual([]);
});

test("reads passages from a table as pandas writes it, and leaves an earlier conversation in such a column alone", () => {
  const pandas = `question,ground_truth,contexts\nCapital?,Paris,"['Paris is the capital.' 'France is in Europe.']"\n`;
  expect(contextsOf(pandas, "ragas.csv").contexts).toEqual([passages]);
  const talk = JSON.stringify({ question: "And?", answer: "B", context: [{ role: "user", content: "A?" }] });
  const { contexts, scenarios } = contextsOf(`${talk}\n`, "talk.jsonl");
  expect(contexts).toEqual([undefined]);
  expect(JSON.stringify(scenarios)).toContain("A?");
});
