import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { admitReply, createByteBudget, createHoldTimes, estimateMemory } from "./byte-budget.ts";

const never = new AbortController().signal;

test("without keys one pool serves all, and what is given back can be had again", () => {
  const budget = createByteBudget(100);
  const [one, other] = [budget.open(), budget.open()];
  expect([one.add(60), other.add(50), other.add(40), budget.used]).toEqual([true, false, true, 100]);
  expect([budget.fits(1), one.add(1)]).toEqual([false, false]);
  one.release();
  one.release();
  expect([budget.used, budget.fits(60), budget.fits(61)]).toEqual([40, true, false]);
});

test("one key never takes all: there is room for another, and for one more beside both", () => {
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

test("a key that holds nothing may take more than its share of what is free", () => {
  const budget = createByteBudget(100);
  expect(budget.open("a").add(90)).toBe(true);
  expect(budget.open("b").add(10)).toBe(true);
});

test("those who find no room hear how long it takes until they would", () => {
  let now = 0;
  const budget = createByteBudget(100, () => now);
  const hold = budget.open();
  hold.add(100);
  now = 10_000;
  expect(budget.turnAway(100)).toBe(10_000);
  expect(budget.turnAway(100)).toBe(20_000);
  hold.release();
  budget.open().add(100);
  expect(budget.turnAway(50)).toBe(15_000);
});

test("who waits gets its bytes in turn, and nobody of the same owner overtakes", async () => {
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

test("one always goes on, even if it needs more than there is; the others wait for it", async () => {
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

test("who gives up waiting leaves the line to the next", async () => {
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

test("some room is enough to go on with what is counted afterwards, and none is no dead end", async () => {
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

test("a reply of ordinary size is always taken; a large one only while there is room", () => {
  const budget = createByteBudget(1_000_000);
  budget.open().add(1_000_000);
  const admit = admitReply(budget.open());
  expect([admit(60_000), admit(4_000), admit(4_000)]).toEqual([true, true, false]);
});

test("the memory of a value is that of its texts, and some for each value", () => {
  const text = "ж".repeat(100_000);
  const bytes = estimateMemory({ messages: [{ content: text }, { content: text }] });
  expect(bytes).toBeGreaterThan(400_000);
  expect(bytes).toBeLessThan(401_000);
  expect(estimateMemory(Array.from({ length: 1000 }, () => ({})))).toBeGreaterThan(20_000);
});

/** Places on a clock that moves when it is told to. */
function onClock() {
  let now = 0;
  const times = createHoldTimes(() => now);
  return { times, pass: (ms: number) => (now += ms) };
}

test("the wait is the length of the line by the rate at which places are given back", () => {
  const { times, pass } = onClock();
  for (let round = 0; round < 3; round += 1) {
    const begun = Array.from({ length: 16 }, () => times.begin());
    pass(2_800);
    for (const begunAt of begun) times.end(begunAt);
  }
  for (let place = 0; place < 16; place += 1) times.begin();
  expect(times.waitMs(257)).toBeCloseTo((257 * 2_800) / 16);
  expect(times.waitMs(1)).toBe(1_000);
  expect(times.waitMs(1_000_000)).toBe(60_000);
});

test("before anything has ended, the age of what is under way says how slow it is", () => {
  const { times, pass } = onClock();
  expect(times.waitMs(5)).toBe(2_000);
  times.begin();
  times.begin();
  pass(10_000);
  expect(times.waitMs(4)).toBe(20_000);
});

test("amounts count: a large one that is held long outweighs small ones that are not", () => {
  const { times, pass } = onClock();
  const large = times.begin(1_000_000);
  for (let small = 0; small < 10; small += 1) times.end(times.begin(1), 1);
  pass(8_000);
  times.end(large, 1_000_000);
  times.begin(500_000);
  expect(times.waitMs(500_000)).toBeGreaterThan(7_900);
});
