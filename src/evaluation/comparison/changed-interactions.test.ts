import { expect, test } from "vitest";
import { Interaction } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { changedInteractions } from "./changed-interactions.ts";
import { createRunTally, type RunTally } from "./run-tally.ts";

const interaction = Interaction.parse({ id: "1", user_message: "q", interaction_type: "opening" });

/** A run of one interaction, with the scores of each of its attempts. */
function tallyOf(attempts: readonly Scores[], { scenario_id = "s", asked = interaction } = {}): RunTally {
  const tally = createRunTally();
  for (const scores of attempts) tally.add({ scenario_id, interaction: asked, scores, scoring_version: "1" });
  return tally;
}

const replied = (overall: number): Scores => ({ success: 1, overall });
const failed: Scores = { success: 0 };

test.each([
  ["worse replies", [replied(0.9)], [replied(0.4)], { score: "overall", difference: -0.5 }],
  ["better replies", [replied(0.5)], [replied(1)], { score: "overall", difference: 0.5 }],
  ["no reply any more", [replied(0.5)], [failed], { score: "success", difference: -1 }],
  ["fewer replies, but better ones", [replied(0.5), replied(0.5)], [replied(1), failed], { score: "success" }],
  ["more replies, but worse ones", [replied(1), failed], [replied(0.5), replied(0.5)], { score: "overall" }],
])("%s: reports the regression", (_, before, after, change) => {
  const { changed } = changedInteractions(tallyOf(before), tallyOf(after), { leaveOut: new Set(), most: 10 });
  expect(changed).toHaveLength(1);
  expect(changed[0]).toMatchObject({ scenario_id: "s", interaction_id: "1", ...change });
});

test("fewer replies are a regression, even if the others are better", () => {
  const [before, after] = [tallyOf([replied(0.5), replied(0.5)]), tallyOf([replied(1), failed])];
  const counts = changedInteractions(before, after, { leaveOut: new Set(), most: 10 });
  expect(counts).toMatchObject({ regressions: 1, improvements: 0 });
});

test("lists the largest regressions first, then improvements; caps the list, not the counts", () => {
  const runOf = (values: Readonly<Record<string, number>>): RunTally => {
    const tally = createRunTally();
    for (const [scenario_id, overall] of Object.entries(values))
      tally.add({ scenario_id, interaction, scores: { overall }, scoring_version: "1" });
    return tally;
  };
  const before = runOf({ a: 0.5, b: 0.5, same: 0.5, c: 0.5, d: 0.5 });
  const after = runOf({ a: 0.6, b: 0.4, same: 0.5, c: 0.9, d: 0.1 });
  const { changed, ...counts } = changedInteractions(before, after, { leaveOut: new Set(), most: 3 });
  expect(changed.map(({ scenario_id }) => scenario_id)).toEqual(["d", "b", "c"]);
  expect(counts).toEqual({ regressions: 2, improvements: 2 });
  const without = changedInteractions(before, after, { leaveOut: new Set(["overall"]), most: 3 });
  expect(without).toEqual({ changed: [], regressions: 0, improvements: 0 });
});

test("a turn with other checks is a different question", () => {
  const checkedFor = (text: string) =>
    tallyOf([replied(1)], {
      asked: Interaction.parse({ ...interaction, checks: [{ type: "contains", text }] }),
    });
  const contentOf = (tally: RunTally) => tally.scenarios.get("s")?.get("1")?.content;
  expect(contentOf(checkedFor("a"))).toBe(contentOf(checkedFor("a")));
  expect(contentOf(checkedFor("a"))).not.toBe(contentOf(checkedFor("b")));
  expect(contentOf(checkedFor("a"))).not.toBe(contentOf(tallyOf([replied(1)])));
});

test("ignores interactions that were changed or removed", () => {
  const before = tallyOf([replied(1)]);
  const others = [{ asked: { ...interaction, user_message: "another" } }, { scenario_id: "other" }];
  for (const other of others) {
    const after = tallyOf([replied(0)], other);
    expect(changedInteractions(before, after, { leaveOut: new Set(), most: 10 }).changed).toEqual([]);
  }
});
