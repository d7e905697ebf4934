import { expect, test } from "vitest";
import { loadOnce } from "./load-once.ts";

test("loads once for several calls", async () => {
  let loads = 0;
  const load = loadOnce(async () => (loads += 1));
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test("rejects every waiting call when a load fails, and loads again on the next call", async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error("EMFILE: too many open files");
    return loads;
  });
  const both = await Promise.allSettled([load(), load()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await load()).toBe(2);
  expect(await load()).toBe(2);
});
