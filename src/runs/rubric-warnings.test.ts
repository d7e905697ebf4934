import { expect, test } from "vitest";
import { Interaction, type Scenario } from "../contract/schemas/scenario.ts";
import { rubricWarnings } from "./run-warnings.ts";

const scenario = (...checks: object[]): Scenario => ({
  id: "a",
  description: "",
  tags: [],
  interactions: [Interaction.parse({ id: "1", user_message: "Hi", interaction_type: "opening", checks })],
});
const rubric = { type: "rubric", text: "Is it kind?" };

test("rubrics that no judge reads are told of once", () => {
  const scenarios = [scenario(rubric, rubric), scenario(rubric), scenario({ type: "contains", text: "a" })];
  expect(rubricWarnings({}, scenarios)).toEqual([
    { pointer: "/judge", message: "is not set, so the rubrics of 2 turns have no score" },
  ]);
  expect(rubricWarnings({ judge: { scope: "conversation" } }, [scenario(rubric)])).toMatchObject([
    { pointer: "/judge/scope" },
  ]);
  expect(rubricWarnings({ judge: {} }, scenarios)).toEqual([]);
  expect(rubricWarnings({}, [scenario()])).toEqual([]);
});
