import { expect, test } from "vitest";
import { createLastKnown } from "./last-known.ts";

test("loads once per period, keeps the last value after a failure, and tries again", async () => {
  let now = 0;
  const answers = ["a", new Error("down"), "b"];
  let asked = 0;
  const load = async () => {
    const answer = answers[asked];
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const ask = createLastKnown({ load, clock: () => now });
  expect(await Promise.all([ask(), ask()])).toEqual(Array(2).fill({ value: "a", stale: false }));
  expect(asked).toBe(1);
  now = 30_000;
  expect(await ask()).toEqual({ value: "a", stale: true });
  now = 34_999;
  expect(await ask()).toEqual({ value: "a", stale: true });
  expect(asked).toBe(2);
  now = 35_000;
  expect(await ask()).toEqual({ value: "b", stale: false });
});

test("keeps the initial value when a load never ends, and does not try again at once", async () => {
  let asked = 0;
  const load = () => new Promise<string>(() => (asked += 1));
  const ask = createLastKnown({ load, initial: "none", timeoutMs: 5 });
  expect((await ask()).value).toBe("none");
  expect((await ask()).value).toBe("none");
  expect(asked).toBe(1);
});

test("throws a failure before the first value, and loads again at the next call", async () => {
  let asked = 0;
  const load = () => Promise.reject(new Error(`no ${(asked += 1)}`));
  const ask = createLastKnown({ load });
  await expect(ask()).rejects.toThrow("no 1");
  await expect(ask()).rejects.toThrow("no 2");
});
