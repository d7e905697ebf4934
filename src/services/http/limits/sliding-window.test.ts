import fc from "fast-check";
import { expect, test } from "vitest";
import { createSlidingWindow } from "./sliding-window.ts";

test("allows as many uses as the limit, and one more after the wait it names", () => {
  let now = 0;
  const window = createSlidingWindow({ limit: 3, windowMs: 1000, now: () => now });
  expect([window.take("a"), window.take("a"), window.take("a")]).toEqual([0, 0, 0]);
  const wait = window.take("a");
  expect(wait).toBeGreaterThan(0);
  expect(window.take("b")).toBe(0);
  now += Math.ceil(wait) + 1;
  expect(window.take("a")).toBe(0);
});

test("allows no burst of twice the limit between two windows", () => {
  let now = 999;
  const window = createSlidingWindow({ limit: 100, windowMs: 1000, now: () => now });
  for (let index = 0; index < 100; index += 1) expect(window.take("a")).toBe(0);
  now = 1001;
  const passed = Array.from({ length: 100 }, () => window.take("a")).filter((wait) => wait === 0);
  expect(passed.length).toBeLessThan(5);
});

test("does not count a query for the wait", () => {
  const window = createSlidingWindow({ limit: 1, now: () => 0 });
  expect([window.wait("a"), window.wait("a"), window.take("a")]).toEqual([0, 0, 0]);
  expect(window.wait("a")).toBeGreaterThan(0);
});

test("keeps only the newest keys", () => {
  const window = createSlidingWindow({ limit: 1, mostKeys: 10, now: () => 0 });
  for (let key = 0; key < 100; key += 1) window.take(String(key));
  expect(window.wait("99")).toBeGreaterThan(0);
  expect(window.wait("0")).toBe(0);
});

test("names the exact wait for any history", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(400), { minLength: 1, maxLength: 200 }),
      (limit, steps) => {
        let now = 0;
        const window = createSlidingWindow({ limit, windowMs: 1000, now: () => now });
        for (const step of steps) {
          now += step;
          const wait = window.take("a");
          if (wait === 0) continue;
          now += wait - 1;
          expect(window.wait("a")).toBeGreaterThan(0);
          now += 1.001;
          expect(window.take("a")).toBe(0);
        }
      },
    ),
    { numRuns: 300 },
  );
});
