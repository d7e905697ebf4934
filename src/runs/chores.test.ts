import { expect, test } from "vitest";
import { backUpStore, tidyInSteps } from "./chores.ts";

test("tidying goes on in steps while there is more, tells failures and ends with the signal", async () => {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  let steps = 0;
  await tidyInSteps({
    async tidy() {
      steps += 1;
      if (steps === 2) throw new Error("away");
      if (steps === 4) stopping.abort();
      return steps < 4;
    },
    everyMs: 1,
    signal: stopping.signal,
    onError: (error) => errors.push(error),
  });
  expect(steps).toBe(4);
  expect(errors).toEqual([new Error("away")]);
});

const hour = 3_600_000;

test("a backup is made when the newest one is old enough, and one that fails does not end them", async () => {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const made: string[] = [];
  let newest: number | null = null;
  let pruned = 0;
  let looks = 0;
  await backUpStore({
    async backup(file) {
      if (looks === 1) throw new Error("full");
      made.push(file);
      newest = looks * hour;
    },
    folder: {
      fileAt: (at) => `backup-${at / hour}`,
      async newest() {
        looks += 1;
        if (looks === 8) stopping.abort();
        return newest;
      },
      prune: async () => void (pruned += 1),
    },
    now: () => looks * hour,
    everyMs: 3 * hour,
    lookEveryMs: 1,
    signal: stopping.signal,
    onError: (error) => errors.push(error),
  });
  expect(made).toEqual(["backup-2", "backup-5", "backup-8"]);
  // Before each try, so that there is room, and after each backup.
  expect(pruned).toBe(4 + 3);
  expect(errors).toEqual([new Error("full")]);
});
