import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { admitReply, createByteBudget, estimateMemory } from "./byte-budget.ts";

const never = new AbortController().signal;

test("serves all callers without a key from one pool, and reuses released bytes", () => {
  const budget = createByteBudget(100);
  const [one, other] = [budget.open(), budget.open()];
  expect([one.add(60), other.add(50), other.add(40), budget.used]).toEqual([true, false, true, 100]);
  expect([budget.fits(1), one.add(1)]).toEqual([false, false]);
  one.release();
  one.release();
  expect([budget.used, budget.fits(60), budget.fits(61)]).toEqual([40, true, false]);
});

test("leaves room for other keys when one key takes all it can", () => {
  const budget = createByteBudget(120);
  const fill = (key: string): number => {
    let taken = 0;
    while (budget.open(key).add(1)) taken += 1;
    return taken;
  };
  expect(fill("greedy")).toBe(80);
  expect(fill("other")).toBeGreaterThan(20);
  expect(fill("third")).toBeGreaterThan(5);
  expect(budget.used).toBeLessThan(120);
});

test("lets a key that holds nothing take all that is free", () => {
  const budget = createByteBudget(100);
  expect(budget.open("a").add(90)).toBe(true);
  expect(budget.open("b").add(10)).toBe(true);
});

test("names a longer wait for each refusal, and a short one again when the bytes are free", () => {
  let now = 0;
  const budget = createByteBudget(100, () => now);
  const hold = budget.open();
  hold.add(100);
  now = 10_000;
  expect([budget.refuse(100), budget.refuse(100)]).toEqual([10_000, 20_000]);
  hold.release();
  now = 3_600_000;
  budget.open().add(100);
  now += 10_000;
  expect(budget.refuse(50)).toBe(5_000);
});

test("serves waiting holds in order; one never overtakes another of the same owner", async () => {
  const budget = createByteBudget(100);
  const begun: string[] = [];
  const wait = (name: string, bytes: number, owner: string | null = null) => {
    const hold = budget.open(owner);
    void hold.wait(bytes, never).then(() => begun.push(name));
    return hold;
  };
  const first = wait("first", 80);
  wait("large", 90);
  wait("small", 10);
  wait("of another", 10, "another");
  await turn();
  expect(begun).toEqual(["first", "of another"]);
  first.release();
  await turn();
  expect(begun).toEqual(["first", "of another", "large"]);
});

test("lets one hold proceed even if it needs more than the whole budget", async () => {
  const budget = createByteBudget(100);
  const [huge, next] = [budget.open(), budget.open()];
  await huge.wait(500, never);
  let isBegun = false;
  const waiting = next.wait(1, never).then(() => (isBegun = true));
  expect([huge.add(100), next.add(1)]).toEqual([true, false]);
  await turn();
  expect(isBegun).toBe(false);
  huge.release();
  await waiting;
});

test("serves the next hold when a waiting one is aborted", async () => {
  const budget = createByteBudget(100);
  await budget.open().wait(80, never);
  const leaving = new AbortController();
  const left = budget.open().wait(90, leaving.signal);
  const next = budget.open().wait(10, never);
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  await next;
  expect(budget.used).toBe(90);
});

test("waits until half is free, but never while nothing can release any", async () => {
  const budget = createByteBudget(100);
  const kept = budget.open();
  kept.addAnyway(150);
  await budget.room(never);
  const working = budget.open();
  await working.wait(1, never);
  let hasRoom = false;
  const room = budget.room(never).then(() => (hasRoom = true));
  await turn();
  expect(hasRoom).toBe(false);
  kept.release();
  await room;
});

test("always admits an ordinary reply, and a large one only while there is room", () => {
  const budget = createByteBudget(1_000_000);
  budget.open().add(1_000_000);
  const admit = admitReply(budget.open());
  expect([admit(60_000), admit(4_000), admit(4_000)]).toEqual([true, true, false]);
});

test("estimates the memory of a value from its texts and its number of values", () => {
  const text = "ж".repeat(100_000);
  const bytes = estimateMemory({ messages: [{ content: text }, { content: text }] });
  expect(bytes).toBeGreaterThan(400_000);
  expect(bytes).toBeLessThan(401_000);
  expect(estimateMemory(Array.from({ length: 1000 }, () => ({})))).toBeGreaterThan(20_000);
});
