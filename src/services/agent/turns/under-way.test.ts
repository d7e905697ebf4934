import { expect, test } from "vitest";
import type { TurnFacts } from "./turn.ts";
import { createUnderWay } from "./under-way.ts";

const facts = {} as TurnFacts;

test("a service that stops waits for turns, and for those that wait for their thread", async () => {
  const underWay = createUnderWay();
  await underWay.ended(60_000);
  const waiting = Promise.withResolvers<void>();
  void underWay.follow(waiting.promise);
  const turn = underWay.observe(facts);
  turn.onEvent({ type: "run-start" });
  let ended = false;
  const end = underWay.ended(60_000).then(() => (ended = true));
  turn.onEnd({ kind: "cancelled" });
  await Promise.resolve();
  expect(ended).toBe(false);
  waiting.resolve();
  await end;
});

test("it does not wait for ever, nor for what never began", async () => {
  const underWay = createUnderWay();
  underWay.observe(facts).onEnd({ kind: "crashed", error: new Error("refused") });
  expect(await underWay.ended(60_000)).toBeUndefined();
  underWay.observe(facts).onEvent({ type: "run-start" });
  expect(await underWay.ended(10)).toBeUndefined();
});

test("what is left when the time is over is broken off, and may still end in order", async () => {
  const underWay = createUnderWay();
  const turn = underWay.observe(facts);
  turn.onEvent({ type: "run-start" });
  let ended = false;
  underWay.overdue.addEventListener("abort", () => {
    setTimeout(() => {
      ended = true;
      turn.onEnd({ kind: "cancelled" });
    }, 10);
  });
  await underWay.ended(10);
  expect(ended).toBe(true);
  expect(underWay.overdue.reason).toMatchObject({ code: "shutting_down" });
});
