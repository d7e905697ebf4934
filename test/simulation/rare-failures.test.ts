import { expect, test } from "vitest";
import { createRandom } from "../../src/base/random.ts";
import { tInterval } from "../../src/evaluation/statistics/intervals.ts";
import { differenceScale, rareValueP } from "../../src/evaluation/statistics/mean-interval.ts";
import { testNotWorse } from "../../src/evaluation/statistics/not-worse.ts";
import { undetectedFailures } from "../../src/evaluation/statistics/rare-failures.ts";
import { decideSequence } from "../../src/evaluation/statistics/sequence.ts";
import { patienceMs, sizes } from "../support/sizes.ts";

/**
 * A candidate that equals the baseline up to noise, and fails completely in a share of the scenarios: the mean loss is the margin,
 * or the mean is the threshold. No rule with power sees failures that did not occur, so a verdict is wrong only if it does not
 * name a share of failures that is at least the true one.
 */
const random = createRandom(40_003);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const within = (value: number): number => Math.min(1, Math.max(0, value));

/** A score of the baseline: mostly good, as those of a suite that is in use. */
const typical = (): number => 1 - 0.3 * random() ** 2;
const typicalMean = 0.9;

const isDeep = sizes.suites >= 1_000;
const suites = isDeep ? 1_000 : 100;
const noises = isDeep ? [0.02, 0.03, 0.05, 0.08] : [0.02, 0.05];
const failures = isDeep ? [0.005, 0.01, 0.023, 0.05, 0.1] : [0.023, 0.1];
const counts = isDeep ? [20, 30, 40, 50, 70, 100, 200, 400] : [20, 40, 100];
/** 6 %, and three standard errors of a simulation of this size. */
const limit = isDeep ? 0.06 : 0.06 + 3 * Math.sqrt((0.06 * 0.94) / suites);

const grid = noises.flatMap((noise) => failures.flatMap((rate) => counts.map((count) => ({ noise, rate, count }))));

/** The differences of a suite whose mean is `mean` below that of a candidate without failures. */
function differences({ noise, rate, count }: (typeof grid)[number], gain: number): number[] {
  return Array.from({ length: count }, () => {
    const base = typical();
    const [before, after] = [within(base + noise * normal()), within(base + gain + noise * normal())];
    return (random() < rate ? 0 : after) - before;
  });
}

function rateOf(isWrong: () => boolean): number {
  let wrong = 0;
  for (let suite = 0; suite < suites; suite++) if (isWrong()) wrong++;
  return wrong / suites;
}

/** The cells with more wrong verdicts than allowed. */
function tooWrong(title: string, wrong: (cell: (typeof grid)[number]) => () => boolean): readonly string[] {
  const rates = grid.map((cell) => ({ cell, rate: rateOf(wrong(cell)) }));
  // Figures for the documentation.
  if (process.env["SIMULATION_REPORT"])
    process.stdout.write(`${title}: at most ${Math.max(...rates.map(({ rate }) => rate)).toFixed(3)}\n`);
  return rates.flatMap(({ cell: { noise, rate: share, count }, rate }) =>
    rate <= limit ? [] : [`${rate} with noise ${noise}, ${share * 100} % failures, ${count} scenarios`],
  );
}

test("not worse by a margin names the failures that it does not exclude", { timeout: patienceMs }, () => {
  const found = tooWrong("not worse", (cell) => () => {
    const values = differences(cell, 0);
    const { p, assumesSpread } = testNotWorse({ values }, cell.rate * typicalMean, { bound: false });
    return p !== null && p <= 0.05 && !(assumesSpread && undetectedFailures(values) >= cell.rate);
  });
  expect(found).toEqual([]);
});

test("so does a sequence that is not worse", { timeout: patienceMs }, () => {
  const found = tooWrong("sequence", (cell) => () => {
    const values = differences(cell, 0);
    const units = values.map((difference) => ({ difference, fractional: true }));
    const options = { planned: cell.count, margin: cell.rate * typicalMean };
    const { verdict, scenarios, assumesSpread } = decideSequence(units, options);
    if (verdict !== "not_worse" && verdict !== "better") return false;
    return !(assumesSpread && undetectedFailures(values.slice(0, scenarios)) >= cell.rate);
  });
  expect(found).toEqual([]);
});

test("a run is not called higher than a threshold that it just reaches", { timeout: patienceMs }, () => {
  const found = tooWrong("threshold", ({ noise, rate, count }) => () => {
    const [threshold, lowest] = [0.8, -0.8];
    const good = threshold / (1 - rate);
    const units = Array.from({ length: count }, () => {
      const wobble = Math.max(-1, Math.min(1, normal() / 2)) * Math.min(noise * 2, 1 - good);
      return { difference: (random() < rate ? 0 : good + wobble) - threshold, fractional: true };
    });
    const options = { planned: count, lowest, highest: 0.2, anyDistribution: true };
    return decideSequence(units, options).verdict !== null;
  });
  expect(found).toEqual([]);
});

test("equal means are not called better", { timeout: patienceMs }, () => {
  const found = tooWrong("better", (cell) => () => {
    const { noise, rate, count } = cell;
    // Slightly better wherever it does not fail.
    const base = 0.75;
    const gain = (rate * base) / (1 - rate);
    const gains = Array.from({ length: count }, () => {
      const [before, after] = [within(base + noise * normal()), within(base + gain + noise * normal())];
      return (random() < rate ? 0 : after) - before;
    });
    // The rule of a comparison of one score.
    return (tInterval(gains)?.lower ?? 0) > 0 && rareValueP(gains, differenceScale, 0) <= 0.025;
  });
  expect(found).toEqual([]);
});
