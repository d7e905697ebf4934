import { expect, test } from "vitest";
import { Interaction, type Scenario } from "../contract/schemas/scenario.ts";
import { conversationWarnings } from "./conversation-warnings.ts";

const scenario = (turns: number): Scenario => ({
  id: "a",
  description: "",
  tags: [],
  interactions: Array.from({ length: turns }, (_, index) =>
    Interaction.parse({ id: `${index}`, user_message: "Hi", interaction_type: "opening" }),
  ),
});

test("a judge of conversations that were never held is told of", () => {
  const judge = { scope: "conversation" } as const;
  const scenarios = [scenario(1), scenario(2)];
  expect(conversationWarnings({ judge, history: "reference" }, scenarios)).toMatchObject([{ pointer: "/judge/scope" }]);
  expect(conversationWarnings({ judge, history: "reference" }, [scenario(1)])).toEqual([]);
  expect(conversationWarnings({ judge, history: "both" }, scenarios)).toEqual([]);
  expect(conversationWarnings({ judge: {}, history: "reference" }, scenarios)).toEqual([]);
  expect(conversationWarnings({ history: "reference" }, scenarios)).toEqual([]);
});
