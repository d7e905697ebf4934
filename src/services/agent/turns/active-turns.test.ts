import { expect, test } from "vitest";
import type { AgentTurnFacts } from "./turn.ts";
import { createActiveTurns } from "./active-turns.ts";

const facts = {} as AgentTurnFacts;

test("waits for running turns, and for turns that wait for their thread", async () => {
  const activeTurns = createActiveTurns();
  await activeTurns.drain(60_000);
  const waiting = Promise.withResolvers<void>();
  void activeTurns.track(waiting.promise);
  const turn = activeTurns.observe(facts);
  turn.onEvent({ type: "run-start" });
  let ended = false;
  const end = activeTurns.drain(60_000).then(() => (ended = true));
  turn.onEnd({ kind: "cancelled" });
  await Promise.resolve();
  expect(ended).toBe(false);
  waiting.resolve();
  await end;
});

test("waits neither for ever nor for turns that never started", async () => {
  const activeTurns = createActiveTurns();
  activeTurns.observe(facts).onEnd({ kind: "crashed", error: new Error("refused") });
  expect(await activeTurns.drain(60_000)).toBeUndefined();
  activeTurns.observe(facts).onEvent({ type: "run-start" });
  expect(await activeTurns.drain(10)).toBeUndefined();
});

test("cancels the turns that are left after the limit and lets them end", async () => {
  const activeTurns = createActiveTurns();
  const turn = activeTurns.observe(facts);
  turn.onEvent({ type: "run-start" });
  let ended = false;
  activeTurns.overdue.addEventListener("abort", () => {
    setTimeout(() => {
      ended = true;
      turn.onEnd({ kind: "cancelled" });
    }, 10);
  });
  await activeTurns.drain(10);
  expect(ended).toBe(true);
  expect(activeTurns.overdue.reason).toMatchObject({ code: "shutting_down" });
});
