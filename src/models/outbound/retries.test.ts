import { expect, test } from "vitest";
import { RetryBudget } from "./retries.ts";

test("limits retries to a share of the calls, with a minimum", () => {
  const budget = new RetryBudget({ ratio: 0.2, floor: 2, windowMs: 1000 });
  const taken = (now: number) => [1, 2, 3, 4].filter(() => budget.take(now)).length;
  expect(taken(0)).toBe(2);
  for (let call = 0; call < 15; call += 1) budget.countCall(100);
  expect(taken(100)).toBe(1);
  expect(taken(1050)).toBe(2);
  expect(taken(2100)).toBe(2);
});
