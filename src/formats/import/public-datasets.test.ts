import { expect, test } from "vitest";
import { importScenarios } from "../import-scenarios.ts";

/** Turns as [user, reference, further references], with the labels of the last turn. */
function read(...rows: readonly object[]) {
  const { scenarios, format } = importScenarios({ text: rows.map((row) => JSON.stringify(row)).join("\n") });
  return scenarios.map(({ id, interactions, tags }) => ({
    format,
    id,
    turns: interactions.map((turn) => [turn.user_message, turn.reference_reply, ...(turn.references ?? [])]),
    labels: interactions.at(-1)?.reference_metadata,
    tags,
  }));
}

test("reads MT-Bench: a list of user messages, with an answer for each", () => {
  const open = { question_id: 81, category: "writing", turns: ["Write about Hawaii.", "Now begin each line with A."] };
  const closed = { question_id: 111, category: "math", turns: ["2 + 2?", "Twice that?"], reference: ["4", "8"] };
  expect(read(open, closed)).toMatchObject([
    {
      format: "rows",
      id: "81",
      turns: [
        ["Write about Hawaii.", ""],
        ["Now begin each line with A.", ""],
      ],
    },
    {
      id: "111",
      turns: [
        ["2 + 2?", "4"],
        ["Twice that?", "8"],
      ],
      labels: {},
      tags: ["math"],
    },
  ]);
});

const instance = {
  input: { text: "2 + 2?" },
  references: [
    { output: { text: "5" }, tags: [] },
    { output: { text: "4" }, tags: ["correct"] },
    { output: { text: "four" }, tags: ["correct"] },
  ],
  id: "id7",
};

test.each([
  ["instances", [instance]],
  ["the states of a run", { adapter_spec: {}, request_states: [{ instance, request: {}, result: {} }] }],
])("reads HELM, %s: only correct answers become references", (_name, file) => {
  expect(read(file)).toMatchObject([{ id: "id7", turns: [["2 + 2?", "4", "four"]], labels: {} }]);
});

test("reads SQuAD and TruthfulQA: every correct answer becomes a reference, wrong ones are not labels", () => {
  const squad = {
    id: "s",
    context: "It opens at seven.",
    question: "When?",
    answers: { text: ["seven", "at seven"], answer_start: [12, 9] },
  };
  const truthful = {
    question: "Is it?",
    best_answer: "No.",
    correct_answers: ["No.", "Never."],
    incorrect_answers: ["Yes."],
  };
  expect(read(squad)).toMatchObject([{ turns: [["When?", "seven", "at seven"]], labels: {} }]);
  expect(read(truthful)).toMatchObject([{ turns: [["Is it?", "No.", "No.", "Never."]], labels: {} }]);
});

test("does not use ids and contexts as labels", () => {
  const braintrust = {
    id: "b",
    _xact_id: "1",
    created: "2026-11-16",
    root_span_id: "r",
    input: "Hi",
    expected: "Hello",
    intent: "greet",
  };
  const ragas = { user_input: "Hi", reference: "Hello", retrieved_contexts: ["a", "b"], reference_contexts: ["a"] };
  expect(read(braintrust)).toMatchObject([{ id: "b", turns: [["Hi", "Hello"]], labels: { intent: "greet" } }]);
  expect(read(ragas)[0]?.labels).toEqual({});
  expect(read({ question: "Hi", answer: "Hello", notes: ["long ".repeat(30)] })[0]?.labels).toEqual({});
});

test("uses the instructions of a Responses API request as the system prompt", () => {
  const asked = [{ role: "user", content: [{ type: "input_text", text: "When?" }] }];
  const [scenario] = importScenarios({
    text: JSON.stringify({ input: asked, instructions: "Be brief.", expected: "At seven." }),
  }).scenarios;
  expect(scenario).toMatchObject({
    system_prompt: "Be brief.",
    interactions: [{ user_message: "When?", reference_reply: "At seven.", reference_metadata: {} }],
  });
});

test("keeps labels under any name in our own tables", () => {
  const header = "scenario_id,turn,interaction_id,user_message,reference_reply,customer_id";
  const [own] = importScenarios({ text: `${header}\na,1,i,Hi,Hello,7\n`, name: "own.csv" }).scenarios;
  expect(own?.interactions[0]?.reference_metadata).toEqual({ customer_id: "7" });
  const text = "scenario_id,user_message,reference_reply,customer_id\na,Hi,Hello,7\n";
  const [written] = importScenarios({ text, name: "by-hand.csv" }).scenarios;
  expect(written).toMatchObject({ metadata: { customer_id: "7" }, interactions: [{ reference_metadata: {} }] });
});

test.each([
  [
    "Hugging Face's viewer",
    { features: [], rows: [{ row_idx: 0, row: { question: "When?", answer: "Now" }, truncated_cells: [] }] },
  ],
  ["a download", { version: "1.0", data: [{ question: "When?", answer: "Now" }] }],
])("opens the list of %s", (_name, file) => {
  expect(read(file)).toMatchObject([{ format: "rows", turns: [["When?", "Now"]], labels: {} }]);
});
