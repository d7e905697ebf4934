import { expect, test } from "vitest";
import { importScenarios } from "../import-scenarios.ts";

const said = (text: string) => {
  const { format, scenarios, notes } = importScenarios({ text, name: "test_stories.yml" });
  return { format, scenarios, notes: notes.map(({ line, message }) => `${line}: ${message}`) };
};

test("a test story is what the user says, with the intent of it and what the bot replies", () => {
  const { format, scenarios, notes } = said(`
responses:
  utter_greet: [{ text: Good day. }]
stories:
- story: order
  steps:
  - user: |
      hello
    intent: greet
  - action: utter_greet
  - user: |
      one [small](size) pizza with [ham]{"entity": "topping"}
    intent: order
  - action: utter_begin
  - active_loop: order_form
  - bot: Anything else?
`);
  expect(format).toBe("rasa");
  expect(scenarios).toMatchObject([
    {
      id: "order",
      interactions: [
        { user_message: "hello", reference_reply: "Good day.", reference_metadata: { intent: "greet" } },
        { user_message: "one small pizza with ham", reference_reply: "Anything else?" },
      ],
    },
  ]);
  expect(notes).toEqual(["14: the text of utter_begin is not in this file", "15: not part of a scenario: active_loop"]);
});

test("an end-to-end test is one too, and its assertions are named", () => {
  const { format, scenarios, notes } = said(`
test_cases:
- test_case: booking
  steps:
  - user: A table, please
    assertions: [{ flow_started: book }]
  - utter: utter_city
`);
  expect(format).toBe("rasa");
  expect(scenarios).toMatchObject([{ id: "booking", interactions: [{ user_message: "A table, please" }] }]);
  expect(notes).toEqual(["5: not part of a scenario: assertions", "7: the text of utter_city is not in this file"]);
});
