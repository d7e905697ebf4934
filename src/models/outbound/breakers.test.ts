import { expect, test } from "vitest";
import { Breakers } from "./breakers.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

const options = { windowMs: 30_000, minimumCalls: 20, failureRatio: 0.5, openMs: 15_000 };

test("half of the calls failing opens a breaker, a little less does not", () => {
  const opensAfter = (failures: number) => {
    const breaker = new CircuitBreaker(options);
    for (let call = 0; call < 20; call += 1) breaker.record("call", call < 20 - failures ? "success" : "failure", 0);
    return breaker.state(0);
  };
  expect(opensAfter(9)).toBe("closed");
  expect(opensAfter(10)).toBe("open");
});

test("failures older than the window are forgotten", () => {
  const breaker = new CircuitBreaker(options);
  for (let call = 0; call < 19; call += 1) breaker.record("call", "failure", 0);
  breaker.record("call", "failure", 31_000);
  expect(breaker.state(31_000)).toBe("closed");
  expect(breaker.counts(31_000)).toEqual({ calls: 1, failures: 1 });
});

test("the number of breakers stays bounded however many models are named, and an open one is not forgotten for it", () => {
  const breakers = new Breakers(options);
  const down = breakers.get("http://a.example", "down", 0);
  for (let call = 0; call < 20; call += 1) down.record("call", "failure", 0);
  for (let model = 0; model < 20_000; model += 1)
    breakers.get("http://a.example", `m${model}`, 0).record("call", "success", 0);
  expect(breakers.report(0).length).toBeLessThanOrEqual(5000);
  expect(breakers.get("http://a.example", "down", 0)).toBe(down);
  expect(breakers.report(0)[0]).toMatchObject({ key: "down", state: "open" });
});
