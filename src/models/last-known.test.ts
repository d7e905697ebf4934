import { expect, test } from "vitest";
import { createLastKnown, withinDeadline } from "./last-known.ts";

test("asks once per period, keeps what was known when that fails, and asks again", async () => {
  let now = 0;
  const answers = ["a", new Error("down"), "b"];
  let asked = 0;
  const load = async () => {
    const answer = answers[asked];
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const ask = createLastKnown({ noun: "It", load, clock: () => now });
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

test("who never answers leaves what there is to begin with, and is not asked again at once", async () => {
  let asked = 0;
  const load = () => new Promise<string>(() => (asked += 1));
  const ask = createLastKnown({ noun: "It", load, initial: "none", timeoutMs: 5 });
  expect((await ask()).value).toBe("none");
  expect((await ask()).value).toBe("none");
  expect(asked).toBe(1);
});

test("a failure before anything is known is the caller's, and the next one asks again", async () => {
  let asked = 0;
  const load = () => Promise.reject(new Error(`no ${(asked += 1)}`));
  const ask = createLastKnown({ noun: "It", load });
  await expect(ask()).rejects.toThrow("no 1");
  await expect(ask()).rejects.toThrow("no 2");
});

test("gives the result of work that ends in time", async () => {
  await expect(withinDeadline("The list", 60_000, async () => 42)).resolves.toBe(42);
});

test("ends work that ignores its signal, and names it", async () => {
  const { promise: never } = Promise.withResolvers<number>();
  let heard: AbortSignal | undefined;
  const late = withinDeadline("The list", 1, (signal) => {
    heard = signal;
    return never;
  });
  await expect(late).rejects.toThrow("The list took longer than 1 ms");
  expect(heard?.aborted).toBe(true);
});

test("passes on the failure of the work itself", async () => {
  await expect(withinDeadline("The list", 60_000, () => Promise.reject(new Error("refused")))).rejects.toThrow(
    "refused",
  );
});
