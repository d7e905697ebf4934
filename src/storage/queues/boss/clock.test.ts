import { expect, test } from "vitest";
import { createDatabaseClock } from "./clock.ts";

/** The clock of a host after a question that was sent at 1000 by it, and answered at 1300. */
async function clockAfterAnswer(answer: number): Promise<number> {
  const times = [1_000, 1_300];
  const clock = createDatabaseClock(
    async () => answer,
    () => times.shift() ?? 1_300,
  );
  await clock.sync();
  return clock.now();
}

test("a time between question and answer is that of this host, however long one of the two took", async () => {
  expect(await Promise.all([1_000, 1_010, 1_150, 1_290, 1_300].map(clockAfterAnswer))).toEqual(Array(5).fill(1_300));
});

test("another time is taken as that in the middle between question and answer", async () => {
  expect(await Promise.all([999, 1_301, 5_000].map(clockAfterAnswer))).toEqual([1_149, 1_451, 5_150]);
});
