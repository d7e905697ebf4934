import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createPlaces } from "./semaphore.ts";

const never = new AbortController().signal;

/** Works that end when they are told to, oldest first. */
function slowWork() {
  const begun: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => begun.push(resolve));
  return { work, begun };
}

test("no more works than places, and the one that has waited longest goes next", async () => {
  const { work, begun } = slowWork();
  const places = createPlaces(2);
  const ends = ["a", "b", "c", "d"].map((name) => places.take(never, work).then(() => name));
  expect([begun.length, places.taken, places.waiting]).toEqual([2, 2, 2]);
  begun[0]?.();
  expect(await Promise.race(ends)).toBe("a");
  expect([begun.length, places.taken, places.waiting]).toEqual([3, 2, 1]);
  begun[1]?.();
  await ends[1];
  begun[2]?.();
  expect(await ends[2]).toBe("c");
  begun[3]?.();
  await ends[3];
  expect([places.taken, places.waiting]).toEqual([0, 0]);
});

test("a work that failed gives its place back", async () => {
  const places = createPlaces(1);
  const fail = () => Promise.reject(new Error("no"));
  await expect(places.take(never, fail)).rejects.toThrow("no");
  await expect(places.take(never, fail)).rejects.toThrow("no");
  expect(places.taken).toBe(0);
});

test("whoever goes away while waiting takes no place", async () => {
  const { work, begun } = slowWork();
  const places = createPlaces(1);
  const controller = new AbortController();
  const first = places.take(never, work);
  const second = places.take(controller.signal, work);
  const third = places.take(never, work);
  controller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  begun[0]?.();
  await first;
  begun[1]?.();
  await third;
  expect(begun).toHaveLength(2);
});

test("whoever goes away in the moment a place is handed over does nothing with it", async () => {
  const { work, begun } = slowWork();
  const places = createPlaces(1);
  const controller = new AbortController();
  const first = places.take(never, work);
  const second = places.take(controller.signal, work);
  begun[0]?.();
  await Promise.resolve();
  expect(places.waiting).toBe(0);
  controller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  await first;
  expect([begun.length, places.taken]).toEqual([1, 0]);
});

test("spare places are for owners that have fewer than are left of them", async () => {
  const places = createPlaces(8, { spare: 4 });
  const begun: { owner: string; end: () => void }[] = [];
  async function ask(owner: string): Promise<(() => void)[]> {
    const work = () => new Promise<void>((end) => begun.push({ owner, end }));
    for (let index = 0; index < 20; index += 1) void places.take(never, work, owner);
    await setImmediate();
    return begun.splice(0).map(({ end }) => end);
  }
  const [first, second, third] = [await ask("first"), await ask("second"), await ask("third")];
  expect([first.length, second.length, third.length]).toEqual([8, 2, 1]);

  // Whoever has taken the places that all may have gets none back while spare ones are taken.
  for (const end of first.splice(0, 3)) end();
  await setImmediate();
  expect(begun.map(({ owner }) => owner)).not.toContain("first");
  for (const end of [...first, ...second, ...third]) end();
  await setImmediate();
  expect(begun.map(({ owner }) => owner)).toContain("first");
});
