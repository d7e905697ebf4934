import { expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { sizes } from "../../../test/support/sizes.ts";
import { incompleteBeta } from "./distributions.ts";
import { tInterval } from "./intervals.ts";
import { differenceScale, meanInterval, rareValueP, scoreScale } from "./mean-interval.ts";
import { undetectedFailures } from "./rare-failures.ts";

test("for 0/1 values, the p value is that of Jeffreys' prior", () => {
  for (const [ones, count] of [
    [3, 10],
    [9, 10],
    [0, 20],
    [149, 150],
  ] as const) {
    const values = Array.from({ length: count }, (_, index) => (index < ones ? 1 : 0));
    for (const at of [0.02, 0.3, 0.9])
      expect(rareValueP(values, scoreScale, at)).toBeCloseTo(incompleteBeta(at, ones + 0.5, count - ones + 0.5), 6);
  }
});

test("the interval is no narrower than Student's, symmetric, and as narrow with many values", () => {
  const random = createRandom(3);
  for (const [size, wider] of [
    [10, 0.1],
    [40, 0.03],
    [400, 0.001],
  ] as const) {
    const values = Array.from({ length: size }, () => 0.3 + 0.6 * random());
    const [student, wide] = [tInterval(values), meanInterval(values, scoreScale)];
    const mirror = meanInterval(
      values.map((value) => 1 - value),
      scoreScale,
    );
    if (!student || !wide || !mirror) throw new Error("no interval");
    expect(wide.lower).toBeLessThanOrEqual(student.lower);
    expect(wide.upper).toBeGreaterThanOrEqual(student.upper);
    expect(wide.upper - wide.lower).toBeLessThan(student.upper - student.lower + wider);
    expect(mirror.lower).toBeCloseTo(1 - wide.upper, 3);
  }
  expect(meanInterval([0.4], scoreScale)).toBeNull();
  expect(meanInterval([0.4, 0.4], scoreScale)).toBeNull();
});

test("names the failures that so few scenarios may have missed", () => {
  const losses = (failed: number, count: number) => Array.from({ length: count }, (_, i) => (i < failed ? -0.9 : 0.01));
  expect(undetectedFailures(losses(0, 40))).toBeCloseTo(1 - 0.05 ** (1 / 40), 6);
  // Clopper and Pearson: 2 of 50, one-sided 95 %.
  expect(undetectedFailures(losses(2, 50))).toBeCloseTo(0.1206, 4);
});

/** Shapes of real scores: heaped at the ends, tied, skewed, and nearly equal with rare failures. */
const shapes: Readonly<Record<string, (random: () => number) => number>> = {
  "preferences heaped at 0, few at 1": (random) => (random() < 0.12 ? 1 - 0.05 * random() : 0.02 * random() ** 4),
  "heaped at both ends": (random) => (random() < 0.7 ? 1 - 0.1 * random() ** 3 : 0.3 * random() ** 2),
  "grades of five": (random) => Math.round(4 * random() ** 0.3) / 4,
  "overlap, spread out": (random) => 0.1 + 0.5 * random() * random(),
  "one in ten fails": (random) => (random() < 0.1 ? 0 : 0.9 + 0.1 * random()),
};

const suites = sizes.suites;
const slack = 3 * Math.sqrt((0.07 * 0.93) / suites);
const counts = suites < 1_000 ? [10, 40] : [10, 20, 30, 50, 100];

test.each(Object.entries(shapes))("covers the mean in 93 % of suites: %s", (_name, shape) => {
  const random = createRandom(77);
  const drawn = Array.from({ length: 40_000 }, () => shape(random));
  const truth = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
  for (const count of counts) {
    let [covered, paired] = [0, 0];
    for (let suite = 0; suite < suites; suite++) {
      const values = Array.from({ length: count }, () => shape(random));
      const found = meanInterval(values, scoreScale) ?? { lower: 0, upper: 1 };
      if (found.lower <= truth && truth <= found.upper) covered++;
      const differences = values.map((value) => value - shape(random));
      const difference = meanInterval(differences, differenceScale) ?? { lower: -1, upper: 1 };
      if (difference.lower <= 0 && 0 <= difference.upper) paired++;
    }
    expect(covered / suites, `${count} values`).toBeGreaterThanOrEqual(0.93 - slack);
    expect(paired / suites, `${count} differences`).toBeGreaterThanOrEqual(0.93 - slack);
  }
});
