import { expect, test } from "vitest";
import { CircuitBreaker } from "./circuit-breaker.ts";

test("an upstream that is back starts anew: what failed before it was down does not count", () => {
  const breaker = new CircuitBreaker({ windowMs: 10_000, minimumCalls: 4, failureRatio: 0.5, openMs: 1000 });
  const fail = (now: number, times: number) => {
    for (let call = 0; call < times; call += 1) breaker.record("call", "failure", now);
  };
  fail(0, 4);
  expect(breaker.admit(0)).toBeNull();
  expect(breaker.admit(1000)).toBe("probe");
  breaker.record("probe", "success", 1100);
  fail(1200, 3);
  expect(breaker.state(1200)).toBe("closed");
  fail(1300, 1);
  expect(breaker.state(1300)).toBe("open");
});
