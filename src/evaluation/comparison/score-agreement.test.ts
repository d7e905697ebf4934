import { expect, test } from "vitest";
import { ranksOf, scoreAgreement, type RatedReply } from "./score-agreement.ts";

const scores = [0.9, 0.2, 0.5, 0.7, 0.7, 0.1, 0.95, 0.4, 0.6, 0.3, 0.8, 0.55];
const verdicts = [1, 0, 0.5, 1, 0.5, 0, 1, 0, 1, 0.5, 0.5, 1];

const judged = (values: readonly number[], given = verdicts): RatedReply[] =>
  values.map((value, index) => ({ scenario: `s${index % 6}`, scores: { chrf: value }, verdict: given[index] ?? 0 }));

test("equal values share the mean of their ranks", () => {
  expect(ranksOf([3, 1, 3, 2])).toEqual([3.5, 1, 3.5, 2]);
});

// scipy 1.17.1 spearmanr, and a jackknife over the six scenarios in numpy 2.4.6.
test("correlates a score with the verdicts, with an interval over scenarios", () => {
  const [found] = scoreAgreement(judged(scores));
  expect(found).toMatchObject({
    score: "chrf",
    replies: 12,
    scenarios: 6,
    method: "Spearman, jackknife over 6 scenarios",
  });
  expect(found?.correlation).toBeCloseTo(0.7294979, 6);
  expect(found?.ci_lower).toBeCloseTo(-0.02104, 4);
  expect(found?.ci_upper).toBeCloseTo(0.95417, 4);
});

test("the order alone counts, and its reversal reverses the sign", () => {
  const [plain] = scoreAgreement(judged(scores));
  const [bent] = scoreAgreement(judged(scores.map((value) => value ** 3)));
  const [reversed] = scoreAgreement(judged(scores.map((value) => -value)));
  expect(bent?.correlation).toBeCloseTo(plain?.correlation ?? 0, 12);
  expect(reversed?.correlation).toBeCloseTo(-(plain?.correlation ?? 0), 12);
  expect(reversed?.ci_lower).toBeCloseTo(-(plain?.ci_upper ?? 0), 12);
});

test.each<[string, RatedReply[], string]>([
  ["too few replies", judged(scores.slice(0, 9)), "none: fewer than 10 replies with a verdict"],
  [
    "equal verdicts",
    judged(
      scores,
      scores.map(() => 1),
    ),
    "none: the scores or the verdicts are all the same",
  ],
  [
    "one scenario",
    judged(scores).map((reply) => ({ ...reply, scenario: "s" })),
    "Spearman; no interval: fewer than 5 scenarios",
  ],
])("says why there is no figure: %s", (_title, replies, method) => {
  expect(scoreAgreement(replies)).toMatchObject([{ method, ci_lower: null }]);
});
