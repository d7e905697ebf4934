import { expect, test } from "vitest";
import { Interaction, type Scenario } from "../contract/schemas/scenario.ts";
import { historyWarnings } from "./run-warnings.ts";

const scenario = (...references: readonly string[]): Scenario => ({
  id: "a",
  description: "",
  tags: [],
  interactions: references.map((reference_reply, index) =>
    Interaction.parse({ id: `${index}`, user_message: "Hi", interaction_type: "opening", reference_reply }),
  ),
});

test("turns that reference history leaves out are told of", () => {
  const gap = [scenario("", "Hello", ""), scenario("Hello", "", "Bye")];
  const message = "leaves 2 turns without a reference reply out of the reference history that later turns are shown";
  expect(historyWarnings({ history: "reference" }, gap)).toEqual([{ pointer: "/history", message }]);
  expect(historyWarnings({ history: "both" }, gap)).toEqual([{ pointer: "/history", message }]);
  const pointer = "/replay_first_bad_turn";
  expect(historyWarnings({ replay_first_bad_turn: true }, gap)).toEqual([{ pointer, message }]);
  expect(historyWarnings({}, gap)).toEqual([]);
  // Nothing comes after the last turn.
  expect(historyWarnings({ history: "both" }, [scenario("Hello", ""), scenario("")])).toEqual([]);
});
