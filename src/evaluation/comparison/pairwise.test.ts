import { expect, test } from "vitest";
import { pairwiseFigures } from "./pairwise.ts";

const pair = (scenario: string, winner: "left" | "right" | "tie" | null, flipped = false) => ({
  scenario,
  judgement: { winner, flipped },
});

test.each([
  [
    { right: 8, left: 0 },
    { p: expect.closeTo(2 / 2 ** 8, 12), ci_lower: null },
    "The judge prefers the candidate: the candidate is preferred in 8 and the baseline in 0 of 8 scenarios (p = 0.008).",
  ],
  [
    { right: 1, left: 9 },
    { p: expect.closeTo(22 / 2 ** 10, 12), ci_lower: 0 },
    "The judge prefers the baseline: the candidate is preferred in 1 and the baseline in 9 of 10 scenarios (p = 0.021).",
  ],
  [
    { right: 2, left: 1, tie: 1 },
    { p: expect.closeTo(1, 12) },
    "No preference can be seen: the candidate is preferred in 2 and the baseline in 1 of 4 scenarios (p = 1.000).",
  ],
  [
    { left: 1 },
    { p: null },
    "In the one scenario both runs share, the baseline is preferred; one scenario cannot tell more.",
  ],
])("decides by the scenarios each run wins: %o", (wins, figures, sentence) => {
  const winners = Object.entries(wins).flatMap(([winner, times]) => Array.from({ length: times }, () => winner));
  const result = pairwiseFigures(
    winners.map((winner, index) => pair(`${index}`, winner as "left")),
    true,
  );
  expect(result).toMatchObject({ ...figures, sentence });
});

test.each([
  ["right", "left", "the candidate is preferred in 8 and the baseline in 1"],
  ["left", "right", "the candidate is preferred in 1 and the baseline in 8"],
] as const)(
  "narrow wins in most scenarios are no preference if a clear loss outweighs them: %s",
  (ahead, behind, counts) => {
    const slight = Array.from({ length: 8 }, (_, index) =>
      [ahead, ahead, behind].map((winner) => pair(`${index}`, winner)),
    );
    const judged = [...slight.flat(), pair("clear", behind)];
    const { p, ci_lower, ci_upper, sentence } = pairwiseFigures(judged, true);
    expect(p).toBeLessThan(0.05);
    expect(Math.min(0.5 - (ci_lower ?? 1), (ci_upper ?? 0) - 0.5)).toBeGreaterThan(0);
    expect(sentence).toMatch(`No preference can be seen: ${counts} of 9 scenarios (p = 0.039), but over all`);
  },
);

test("counts pairwise verdicts by scenario; contradicting orders are ties", () => {
  const result = pairwiseFigures(
    [pair("a", "right"), pair("a", "tie", true), pair("b", "left"), pair("b", null)],
    true,
  );
  expect(result).toMatchObject({ pairs: 3, unreadable: 1, wins: 1, losses: 1, ties: 1, win_rate: 0.375 });
  expect(result.position_flip_rate).toBeCloseTo(1 / 3, 12);
  expect(pairwiseFigures([pair("a", null)], false).sentence).toBe("The judge gave no readable verdict.");
  const partly = pairwiseFigures([pair("a", "right"), pair("b", "left"), pair("c", null)], false);
  expect(partly.sentence).toMatch(/of 2 scenarios \(p = 1\.000\)\. On 1 of 3 pairs it gave no readable verdict\.$/);
  const none = pairwiseFigures([], false);
  expect(none).toMatchObject({ pairs: 0, win_rate: null, p: null });
  expect(none.sentence).toBe("There is no question that both runs were asked and answered.");
});
