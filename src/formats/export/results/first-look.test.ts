import { expect, test } from "vitest";
import { interactionResult, scenarioResult } from "../../testing/run-result.ts";
import { firstLook } from "./first-look.ts";

const turn = (agent_reply: string, fields: Parameters<typeof interactionResult>[0] = {}) =>
  interactionResult({
    user_message: "When do you open and how can I get there?",
    reference_reply: "",
    agent_reply,
    ...fields,
  });

test("says what looks wrong without a judge, the worst conversation first", () => {
  const look = firstLook([
    scenarioResult("fine", [[turn("We open at nine, and you can take the bus to the shop.")]]),
    scenarioResult("empty", [[turn("")]]),
    scenarioResult("cut", [[turn("We open at", { finish_reason: "length" })]]),
    scenarioResult("claims", [
      [
        turn("I have booked it for $49.", {
          scores: { success: 1, claimed_actions: 0, grounded_facts: 0.5 },
          score_reasons: { claimed_actions: "no call of book", grounded_facts: "1 of 2 facts have a source" },
        }),
      ],
    ]),
    scenarioResult("refuses", [[turn("I'm sorry, but I can't help with that.")]]),
    scenarioResult("german", [[turn("Das ist nicht weit, und wir sind für Sie da, wie immer mit Kaffee.")]]),
    scenarioResult("loops", [[turn("We open at nine today. We open at nine today. We open at nine today.")]]),
    scenarioResult("prose", [[turn("It is nine.", { reference_reply: '{"opens":9}' })]]),
  ]);
  expect(look.replies).toBe(8);
  expect(Object.fromEntries(look.signs.map(({ sign, replies }) => [sign, replies]))).toEqual({
    empty: 1,
    "cut off at the length limit": 1,
    "says something was done that no call did": 1,
    "facts without a source": 1,
    refuses: 1,
    "answers in German, asked in English": 1,
    "repeats itself": 1,
    "not JSON, as the reference is": 1,
  });
  expect(look.worst[0]).toMatchObject({
    scenario_id: "claims",
    signs: [
      "says something was done that no call did: no call of book",
      "facts without a source: 1 of 2 facts have a source",
    ],
  });
  expect(look.grounded).toEqual({ replies: 1, mean: 0.5 });
});

test("proposes what the references say that no wording changes", () => {
  const look = firstLook([
    scenarioResult("refund", [
      [turn("Soon.", { reference_reply: "The refund of $25 takes 5 working days, says Ada Lovelace." })],
    ]),
    scenarioResult("capital", [[turn("Paris!", { reference_reply: "Paris." })]]),
    scenarioResult("chat", [[turn("Hi", { reference_reply: "it is nice to meet you, how are you doing today" })]]),
  ]);
  expect(look.checks).toEqual([
    { scenario_id: "refund", interaction_id: "i1", texts: ["$25", "5 working days", "Ada Lovelace"] },
    { scenario_id: "capital", interaction_id: "i1", texts: ["Paris"] },
  ]);
});
