import { expect, test } from "vitest";
import { loadOnce } from "./load-once.ts";

test("what is asked for several times is loaded once", async () => {
  let loads = 0;
  const load = loadOnce(async () => (loads += 1));
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test("a load that failed is tried again by the next call, and told to all who waited for it", async () => {
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
