import fc from "fast-check";
import { expect, test } from "vitest";
import { lowerBoundOfMean, meanAtMostP, plausibleUnseen } from "./mean-bound.ts";

const zeroOne = (losses: number, scenarios: number): number[] =>
  Array.from({ length: scenarios }, (_, index) => (index < losses ? -1 : 0));

// statsmodels 0.15.0: proportion_confint(losses, scenarios, alpha=0.1, method="beta")[1]
test.each([
  [0, 149, 0.019904816220685],
  [0, 59, 0.049507609888227],
  [3, 50, 0.147837176364181],
  [7, 40, 0.303705667003415],
])("of %i losses in %i scenarios, the bound is that of Clopper and Pearson", (losses, scenarios, share) => {
  expect(lowerBoundOfMean(zeroOne(losses, scenarios), { unseen: -1 })).toBeCloseTo(-share, 7);
});

// scipy 1.17.1: beta.sf(0.02, 1, 149), beta.sf(0.05, 1, 40), beta.sf(0.1, 4, 47)
test.each([
  [0, 149, 0.02, 0.0492816543300896],
  [0, 40, 0.05, 0.1285121565651033],
  [3, 50, 0.1, 0.2502939059533076],
])(
  "of %i losses in %i scenarios and a margin of %d, p is that of the beta distribution",
  (losses, scenarios, at, p) => {
    expect(meanAtMostP(zeroOne(losses, scenarios), { unseen: -1, at: -at })).toBeCloseTo(p, 8);
  },
);

// numpy 2.4.6: partial fractions of the characteristic function, which is exact for distinct values.
test("p and bound of distinct values are those of the exact distribution", () => {
  expect(meanAtMostP([0.1, -0.2, 0.3, 0.05, 0.15], { unseen: -0.3, at: 0 })).toBeCloseTo(0.399047619047619, 12);
  const gains = [0.05, -0.25, 0.1, 0.2, -0.05, 0.25, 0.02, 0.15, -0.1, 0.06, 0.3, 0.075];
  const unseen = plausibleUnseen(gains);
  expect(unseen).toBeCloseTo(-0.6032589663, 9);
  expect(meanAtMostP(gains, { unseen, at: -0.1000001 })).toBeCloseTo(0.0445862056, 7);
  expect(lowerBoundOfMean(gains, { unseen })).toBeCloseTo(-0.0951458461, 7);
});

const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });

test("the bound lies between the unseen value and the mean, and moves with the values", () => {
  fc.assert(
    fc.property(values, fc.double({ min: -0.5, max: 0.5, noNaN: true }), (drawn, shift) => {
      const bound = lowerBoundOfMean(drawn, { unseen: -1 });
      const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
      expect(bound).toBeGreaterThanOrEqual(-1);
      expect(bound).toBeLessThanOrEqual(mean + 1e-9);
      const moved = lowerBoundOfMean(
        drawn.map((value) => value + shift),
        { unseen: -1 + shift },
      );
      expect(moved).toBeCloseTo(bound + shift, 6);
    }),
    { numRuns: 50 },
  );
});

test("p grows with the tested mean, and a better value never makes it larger", () => {
  fc.assert(
    fc.property(values, fc.double({ min: -0.9, max: 0.9, noNaN: true }), fc.nat(39), (drawn, at, index) => {
      const p = meanAtMostP(drawn, { unseen: -1, at });
      expect(meanAtMostP(drawn, { unseen: -1, at: at + 0.05 })).toBeGreaterThanOrEqual(p - 1e-9);
      const better = drawn.with(index % drawn.length, 1);
      expect(meanAtMostP(better, { unseen: -1, at })).toBeLessThanOrEqual(p + 1e-9);
    }),
    { numRuns: 50 },
  );
});
