import { expect, test } from "vitest";
import { yieldToEventLoop } from "./event-loop.ts";

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Blocks for a millisecond in every round of the event loop until `stop` is called. Returns the number of rounds. */
function keepBusy(): { stop: () => number } {
  let rounds = 0;
  let isOver = false;
  const work = (): void => {
    if (isOver) return;
    rounds += 1;
    block(1);
    setImmediate(work);
  };
  setImmediate(work);
  return {
    stop() {
      isOver = true;
      return rounds;
    },
  };
}

test("lets others work for the whole time, not counting what the caller's own round still does", async () => {
  const busy = keepBusy();
  const yielded = yieldToEventLoop(30);
  block(60);
  const before = performance.now();
  await yielded;
  const ms = performance.now() - before;
  expect(busy.stop()).toBeGreaterThanOrEqual(16);
  expect(ms).toBeGreaterThanOrEqual(30);
});

test("returns early when nothing waits", async () => {
  const start = performance.now();
  await yieldToEventLoop(60_000);
  expect(performance.now() - start).toBeLessThan(60_000);
});
