import { mkdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createLastUsed, readLastUsed } from "./last-used.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Waits for the file itself: only timers are ours to move. */
async function usedOnes(file: string, count: number): Promise<string[]> {
  let used = await readLastUsed(file);
  while (used.size < count) used = await readLastUsed(file);
  return [...used.keys()];
}

test("a key that is used a moment after another one is noted too, though nobody calls again", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("keys.json");
  const lastUsed = createLastUsed(file);
  lastUsed("first");
  await vi.advanceTimersByTimeAsync(1);
  expect(await usedOnes(file, 1)).toEqual(["first"]);
  lastUsed("second");
  await vi.advanceTimersByTimeAsync(30_000);
  // A file that is being written says nothing yet: it is the wait for it that must go on.
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await usedOnes(file, 2)).toEqual(["first", "second"]);
});

test("what could not be written is written with the next use", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("later/keys.json");
  const lastUsed = createLastUsed(file);
  lastUsed("first");
  await vi.advanceTimersByTimeAsync(1);
  expect((await readLastUsed(file)).size).toBe(0);
  await mkdir(folder.file("later"));
  lastUsed("second");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await usedOnes(file, 2)).toEqual(["first", "second"]);
});
