import { expect, test } from "vitest";
import { createWaitEstimator } from "./wait-estimator.ts";

/** An estimator with a clock that the test moves. */
function withClock() {
  let now = 0;
  const estimator = createWaitEstimator(() => now);
  return { estimator, pass: (ms: number) => (now += ms) };
}

test("estimates the wait from the length of the queue and the release rate", () => {
  const { estimator, pass } = withClock();
  for (let round = 0; round < 3; round += 1) {
    const begun = Array.from({ length: 16 }, () => estimator.begin());
    pass(2_800);
    for (const begunAt of begun) estimator.end(begunAt);
  }
  for (let place = 0; place < 16; place += 1) estimator.begin();
  expect(estimator.waitMs(257)).toBeCloseTo((257 * 2_800) / 16);
  expect(estimator.waitMs(1)).toBe(1_000);
  expect(estimator.waitMs(1_000_000)).toBe(60_000);
});

test("uses the age of what is held until something has been released", () => {
  const { estimator, pass } = withClock();
  expect(estimator.waitMs(5)).toBe(2_000);
  estimator.begin();
  estimator.begin();
  pass(10_000);
  expect(estimator.waitMs(4)).toBe(20_000);
});

test("weighs hold times by their amounts", () => {
  const { estimator, pass } = withClock();
  const large = estimator.begin(1_000_000);
  for (let small = 0; small < 10; small += 1) estimator.end(estimator.begin(1), 1);
  pass(8_000);
  estimator.end(large, 1_000_000);
  estimator.begin(500_000);
  expect(estimator.waitMs(500_000)).toBeGreaterThan(7_900);
});

test("schedules each refusal behind the ones before it", () => {
  const { estimator, pass } = withClock();
  estimator.begin(100);
  pass(10_000);
  expect([estimator.refuse(100), estimator.refuse(100), estimator.refuse(50)]).toEqual([10_000, 20_000, 25_000]);
  expect(Array.from({ length: 20 }, () => estimator.refuse(100)).at(-1)).toBe(60_000);
});

test("forgets refusals whose turn has passed", () => {
  const { estimator, pass } = withClock();
  let begunAt = estimator.begin(100);
  pass(1_000);
  for (let refused = 0; refused < 500; refused += 1) estimator.refuse(100);
  // Work follows on work, so that there is always something held.
  for (let round = 0; round < 60; round += 1) {
    const next = estimator.begin(100);
    estimator.end(begunAt, 100);
    begunAt = next;
    pass(1_000);
  }
  expect(estimator.refuse(100)).toBe(1_000);
});

test("forgets refusals when everything is free", () => {
  const { estimator, pass } = withClock();
  const begunAt = estimator.begin(100);
  pass(1_000);
  for (let refused = 0; refused < 500; refused += 1) estimator.refuse(100);
  estimator.end(begunAt, 100);
  estimator.begin(100);
  pass(500);
  expect(estimator.refuse(100)).toBe(1_000);
});
