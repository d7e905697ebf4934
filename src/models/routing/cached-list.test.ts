import { expect, test } from "vitest";
import { createCachedList } from "./cached-list.ts";

test("asks once per period, keeps the last list when that fails, and asks again", async () => {
  let now = 0;
  const answers: (string[] | Error)[] = [["a"], new Error("down"), ["b"]];
  let asked = 0;
  const list = createCachedList({
    load: async () => {
      const answer = answers[asked] ?? [];
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ttlMs: 100,
    retryMs: 10,
    clock: () => now,
  });
  expect(await Promise.all([list(), list()])).toEqual([["a"], ["a"]]);
  expect(asked).toBe(1);
  now = 100;
  expect(await list()).toEqual(["a"]);
  now = 105;
  expect(await list()).toEqual(["a"]);
  expect(asked).toBe(2);
  now = 111;
  expect(await list()).toEqual(["b"]);
});

test("a source that never answers is an empty list", async () => {
  const list = createCachedList({ load: () => new Promise<string[]>(() => {}), timeoutMs: 5 });
  expect(await list()).toEqual([]);
});
