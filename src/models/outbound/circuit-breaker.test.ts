import { expect, test } from "vitest";
import { Breakers, CircuitBreaker } from "./circuit-breaker.ts";

test("forgets earlier failures once the upstream is back", () => {
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

const options = { windowMs: 30_000, minimumCalls: 20, failureRatio: 0.5, openMs: 15_000 };

test("opens when half of the calls fail, and not below", () => {
  const opensAfter = (failures: number) => {
    const breaker = new CircuitBreaker(options);
    for (let call = 0; call < 20; call += 1) breaker.record("call", call < 20 - failures ? "success" : "failure", 0);
    return breaker.state(0);
  };
  expect(opensAfter(9)).toBe("closed");
  expect(opensAfter(10)).toBe("open");
});

test("forgets failures older than the window", () => {
  const breaker = new CircuitBreaker(options);
  for (let call = 0; call < 19; call += 1) breaker.record("call", "failure", 0);
  breaker.record("call", "failure", 31_000);
  expect(breaker.state(31_000)).toBe("closed");
  expect(breaker.counts(31_000)).toEqual({ calls: 1, failures: 1 });
});

test("bounds the number of breakers without dropping an open one", () => {
  const breakers = new Breakers(options);
  const down = breakers.get("http://a.example", "down", 0);
  for (let call = 0; call < 20; call += 1) down.record("call", "failure", 0);
  for (let model = 0; model < 20_000; model += 1)
    breakers.get("http://a.example", `m${model}`, 0).record("call", "success", 0);
  expect(breakers.report(0).length).toBeLessThanOrEqual(5000);
  expect(breakers.get("http://a.example", "down", 0)).toBe(down);
  expect(breakers.report(0)[0]).toMatchObject({ key: "down", state: "open" });
});
