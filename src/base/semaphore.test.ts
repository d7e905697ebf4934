import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

const never = new AbortController().signal;

/** Tasks that end when the test resolves them, oldest first. */
function slowWork() {
  const begun: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => begun.push(resolve));
  return { work, begun };
}

test("runs no more tasks than permits, and starts the longest waiting one next", async () => {
  const { work, begun } = slowWork();
  const semaphore = createSemaphore(2);
  const ends = ["a", "b", "c", "d"].map((name) => semaphore.take(never, work).then(() => name));
  expect([begun.length, semaphore.taken, semaphore.waiting]).toEqual([2, 2, 2]);
  begun[0]?.();
  expect(await Promise.race(ends)).toBe("a");
  expect([begun.length, semaphore.taken, semaphore.waiting]).toEqual([3, 2, 1]);
  begun[1]?.();
  await ends[1];
  begun[2]?.();
  expect(await ends[2]).toBe("c");
  begun[3]?.();
  await ends[3];
  expect([semaphore.taken, semaphore.waiting]).toEqual([0, 0]);
});

test("releases the permit of a failed task", async () => {
  const semaphore = createSemaphore(1);
  const fail = () => Promise.reject(new Error("no"));
  await expect(semaphore.take(never, fail)).rejects.toThrow("no");
  await expect(semaphore.take(never, fail)).rejects.toThrow("no");
  expect(semaphore.taken).toBe(0);
});

test("skips a waiting task whose signal aborts", async () => {
  const { work, begun } = slowWork();
  const semaphore = createSemaphore(1);
  const controller = new AbortController();
  const first = semaphore.take(never, work);
  const second = semaphore.take(controller.signal, work);
  const third = semaphore.take(never, work);
  controller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  begun[0]?.();
  await first;
  begun[1]?.();
  await third;
  expect(begun).toHaveLength(2);
});

test("releases a permit whose task aborts in the moment it is handed over", async () => {
  const { work, begun } = slowWork();
  const semaphore = createSemaphore(1);
  const controller = new AbortController();
  const first = semaphore.take(never, work);
  const second = semaphore.take(controller.signal, work);
  begun[0]?.();
  await Promise.resolve();
  expect(semaphore.waiting).toBe(0);
  controller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  await first;
  expect([begun.length, semaphore.taken]).toEqual([1, 0]);
});

test("gives spare permits to owners that hold fewer than are left", async () => {
  const semaphore = createSemaphore(8, { spare: 4 });
  const begun: { owner: string; end: () => void }[] = [];
  async function ask(owner: string): Promise<(() => void)[]> {
    const work = () => new Promise<void>((end) => begun.push({ owner, end }));
    for (let index = 0; index < 20; index += 1) void semaphore.take(never, work, owner);
    await setImmediate();
    return begun.splice(0).map(({ end }) => end);
  }
  const [first, second, third] = [await ask("first"), await ask("second"), await ask("third")];
  expect([first.length, second.length, third.length]).toEqual([8, 2, 1]);

  // The first owner, which holds the shared permits, gets none while spare ones are in use.
  for (const end of first.splice(0, 3)) end();
  await setImmediate();
  expect(begun.map(({ owner }) => owner)).not.toContain("first");
  for (const end of [...first, ...second, ...third]) end();
  await setImmediate();
  expect(begun.map(({ owner }) => owner)).toContain("first");
});
