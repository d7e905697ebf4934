import { expect, test } from "vitest";
import type { Store } from "../contract/store.ts";
import { backUpStore, tidyStore } from "./chores.ts";

test("tidying goes on in steps while there is more, tells failures and ends with the signal", async () => {
  const stopping = new AbortController();
  const asked: (number | null)[] = [];
  const errors: unknown[] = [];
  const tidy: Store["runs"]["tidy"] = async ({ ended_before }) => {
    asked.push(ended_before);
    if (asked.length === 2) throw new Error("away");
    if (asked.length === 4) stopping.abort();
    return asked.length < 4;
  };
  const store = { runs: { tidy } } as Partial<Store> as Store;
  await tidyStore({
    store,
    keepMs: 1_000,
    now: () => 5_000,
    everyMs: 1,
    signal: stopping.signal,
    onError: (error) => errors.push(error),
  });
  expect(asked).toEqual([4_000, 4_000, 4_000, 4_000]);
  expect(errors).toEqual([new Error("away")]);
});

test("backups follow one another, and one that fails does not end them", async () => {
  const stopping = new AbortController();
  const files: string[] = [];
  const errors: unknown[] = [];
  let tries = 0;
  await backUpStore({
    async backup() {
      tries += 1;
      if (tries === 1) throw new Error("full");
    },
    fileAt: (at) => `backup-${at}`,
    now: () => tries,
    everyMs: 1,
    signal: stopping.signal,
    onError: (error) => errors.push(error),
    async onBackup(file) {
      files.push(file);
      if (files.length === 2) stopping.abort();
    },
  });
  expect(files).toEqual(["backup-1", "backup-2"]);
  expect(errors).toEqual([new Error("full")]);
});
