import { expect, test } from "vitest";
import { planNotWorse, scenariosWithoutLoss, spreadOf, testNotWorse } from "./not-worse.ts";
import { createRandom } from "../../base/random.ts";
import { hochberg } from "./significance.ts";

const equal = (scenarios: number): number[] => Array.from({ length: scenarios }, () => 0);
/** Alternating gains of the same size. */
const waves = (scenarios: number, size: number): number[] =>
  Array.from({ length: scenarios }, (_, index) => (index % 2 === 0 ? size : -size) * (1 + (index % 5) / 10));

test("scenarios that are all equal show it only in the number that excludes a rare complete loss", () => {
  expect([0.02, 0.05, 0.1].map((margin) => scenariosWithoutLoss(margin))).toEqual([149, 59, 29]);
  for (const binary of [true, false]) {
    expect(testNotWorse({ values: equal(148), binary }, 0.02).p).toBeGreaterThan(0.05);
    expect(testNotWorse({ values: equal(149), binary }, 0.02)).toMatchObject({
      p: expect.closeTo(0.04928, 5),
      lower: expect.closeTo(-0.0199, 4),
      method: "bound for any distribution over 149 scenarios",
    });
  }
});

test("scenarios that are nearly equal prove no more than equal ones", () => {
  expect(testNotWorse({ values: waves(30, 0.005) }, 0.02)).toMatchObject({
    p: expect.closeTo(0.55, 1),
    method: "bound for any distribution over 30 scenarios",
  });
  const { p, method } = testNotWorse({ values: waves(40, 0.04) }, 0.03);
  expect(p).toBeLessThan(0.01);
  expect(method).toBe("bound with an unseen scenario over 40 scenarios");
});

test("a loss that is excluded with a margin is excluded with every larger one", () => {
  const random = createRandom(5);
  for (let suite = 0; suite < 20; suite++) {
    const size = 0.3 * random() ** 3;
    const values = Array.from({ length: 5 + Math.floor(60 * random()) }, () => size * (random() - 0.4));
    const margins = [0.01, 0.02, 0.05, 0.1, 0.3, 1];
    const p = margins.map((margin) => testNotWorse({ values }, margin, { bound: false }).p ?? 1);
    expect(p).toEqual(p.toSorted((left, right) => right - left));
  }
});

test("too few scenarios say nothing, however good they are", () => {
  expect(testNotWorse({ values: [0.3, 0.31, 0.32, 0.33] }, 0.02)).toMatchObject({
    p: null,
    lower: null,
    method: "none: fewer than 5 scenarios",
  });
  expect(testNotWorse({ values: [0.3, 0.31, 0.32, 0.33, 0.34] }, 0.02).p).toBe(0);
});

test("a 0/1 score with gains and losses needs more scenarios than one without", () => {
  const values = Array.from({ length: 200 }, (_, index) => (index % 10 === 0 ? -1 : index % 10 === 1 ? 1 : 0));
  const gains = { values, binary: true };
  const { p = null } = testNotWorse(gains, 0.05);
  expect(p).toBeGreaterThan(0.05);
  const spread = spreadOf(gains, { attempts: 1, attemptVariance: null });
  const plan = planNotWorse(spread, 0.05);
  expect(plan.scenarios).toBeGreaterThan(400);
  expect(plan.scenarios).toBeLessThan(900);
  expect(plan.attempts).toBeNull();
});

test("attempts help only as far as the spread is within scenarios", () => {
  const gains = { values: waves(40, 0.1) };
  const plan = (attemptVariance: number) => planNotWorse(spreadOf(gains, { attempts: 1, attemptVariance }), 0.05);
  const { scenarios, attempts } = plan(0.0145);
  expect(scenarios).toBeGreaterThan(40);
  expect(attempts).toBeGreaterThan(1);
  expect(attempts).toBeLessThan(10);
  expect(plan(0.0001).attempts).toBeNull();
});

test("without a spread, the plan is the exact number", () => {
  const spread = spreadOf({ values: equal(30) }, { attempts: 1, attemptVariance: null });
  expect(planNotWorse(spread, 0.02)).toEqual({ scenarios: 149, attempts: null });
});

// statsmodels 0.15.0: multipletests(..., method="simes-hochberg")
test("Hochberg's correction", () => {
  expect(hochberg([0.01, 0.04, 0.03, 0.2])).toEqual([0.04, 0.08, 0.08, 0.2].map((p) => expect.closeTo(p, 12)));
  expect(hochberg([0.01, 0.04, 0.03])).toEqual([0.03, 0.04, 0.04].map((p) => expect.closeTo(p, 12)));
  expect(hochberg([])).toEqual([]);
});
