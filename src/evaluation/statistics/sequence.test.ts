import { expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { fewestScenarios, followSequence, type SequenceUnit } from "./sequence.ts";

const toUnits = (differences: readonly number[], fractional = true): SequenceUnit[] =>
  differences.map((difference) => ({ difference, fractional }));

const wins = [1, 0, 1, 1, 0, 1, -1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1];
const gains = [
  0.05, -0.15, 0.1, 0.2, -0.05, 0.25, 0.02, 0.15, -0.1, 0.06, 0.3, 0.075, 0.15, 0.225, -0.025, 0.11, 0.25, 0.175, 0.09,
  0.205, 0.135, 0.3, 0.065, 0.17,
];

// confseq 0.0.11: betting_mart with these bets and theta 1 grows from 26.2 to 44.5 at the 15th scenario.
test("0/1 differences are bet on as confseq does", () => {
  const found = followSequence(toUnits(wins, false), { planned: 40 });
  expect(found).toMatchObject({ verdict: "better", scenarios: 15 });
  expect(found.lower).toBeCloseTo(0.0106, 3);
  expect(found.upper).toBeCloseTo(0.9303, 3);
});

// The same strategy in numpy 2.4.6: confseq knows no estimated range.
test("the worked example of the documentation", () => {
  const found = followSequence(toUnits(gains), { planned: 40 });
  expect(found).toMatchObject({ verdict: "better", scenarios: 19 });
  expect(found.effect).toBeCloseTo(0.098947, 6);
  expect(found.lower).toBeCloseTo(0.00135, 3);
  expect(found.upper).toBeCloseTo(0.21015, 3);
  const safe = followSequence(toUnits(gains), { planned: 40, margin: 0.1 });
  expect(safe).toMatchObject({ verdict: "not_worse", scenarios: 12 });
});

test("scores that are nearly always the same prove nothing while rare failures may not have shown", () => {
  const steady = Array.from({ length: 40 }, (_, index) => 0.05 + 0.01 * ((index * 7) % 5));
  expect(followSequence(toUnits(steady), { planned: 40 }).verdict).toBeNull();
  const long = Array.from({ length: 200 }, (_, index) => steady[index % 40] ?? 0);
  expect(followSequence(toUnits(long), { planned: 200 }).verdict).toBe("better");
});

test.each([0, 1, 2, 3, 4, 5, 6, 7])("the rules that hold for every sequence, seed %i", (seed) => {
  const random = createRandom(seed);
  const effect = (random() - 0.5) / 2;
  const isBinary = seed % 2 === 0;
  const differences = Array.from({ length: 80 }, () => {
    const value = Math.max(-1, Math.min(1, effect + (random() - 0.5) / 2));
    return isBinary ? Math.sign(Math.round(value * 3)) : value;
  });
  const found = followSequence(toUnits(differences, !isBinary), { planned: 80, margin: 0.05 });
  const mirrored = followSequence(
    toUnits(
      differences.map((value) => -value),
      !isBinary,
    ),
    { planned: 80 },
  );
  const plain = followSequence(toUnits(differences, !isBinary), { planned: 80 });
  // Exchanging the sides exchanges the verdict and mirrors the interval.
  const opposite = { better: "worse", worse: "better", not_worse: null, none: null } as const;
  expect(mirrored.verdict).toBe(opposite[plain.verdict ?? "none"]);
  expect(mirrored.lower).toBeCloseTo(-plain.upper, 3);
  // The verdict and the interval never contradict each other.
  expect(plain.verdict === "better").toBe(plain.lower > -1e-4);
  expect(plain.verdict === "worse").toBe(plain.upper < 1e-4);
  expect(found.verdict !== "not_worse" || (found.bound ?? -1) > -0.05 - 1e-4).toBe(true);
  // Intervals only shrink, whatever comes later.
  for (const [index, { lower, upper }] of plain.points.entries()) {
    const before = plain.points[index - 1] ?? { lower: -1, upper: 1 };
    expect(lower).toBeGreaterThanOrEqual(before.lower - 1e-4);
    expect(upper).toBeLessThanOrEqual(before.upper + 1e-4);
  }
  // The future does not change the past.
  const early = followSequence(toUnits(differences.slice(0, 12), !isBinary), { planned: 80 });
  const then = plain.points.find(({ scenarios }) => scenarios === 12);
  expect(early.points.at(-1)).toEqual(then ?? early.points.at(-1));
});

test("nothing is decided before the first scenario, or by equal scores", () => {
  expect(followSequence([], { planned: 20 })).toMatchObject({ verdict: null, scenarios: 0, points: [] });
  expect(followSequence(toUnits(Array.from({ length: 500 }, () => 0)), { planned: 500 }).verdict).toBeNull();
  // Equal scores show that nothing is lost, but only after more scenarios than a rare loss may hide in.
  const equal = followSequence(toUnits(Array.from({ length: 500 }, () => 0)), { planned: 500, margin: 0.02 });
  expect(equal.verdict).toBe("not_worse");
  expect(equal.scenarios).toBeGreaterThan(149);
});

test("too few scenarios to decide anything are known before", () => {
  const fewest = fewestScenarios({ planned: 10 });
  const best = (count: number) =>
    followSequence(
      toUnits(
        Array.from({ length: count }, () => 1),
        false,
      ),
      { planned: 10 },
    );
  expect(best(fewest).verdict).toBe("better");
  expect(best(fewest - 1).verdict).toBeNull();
});
