import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ChatModel, Reply } from "../contract/model.ts";
import { sampleReply } from "../contract/testing/sample-reply.ts";
import { callInPlace, createPlaces } from "./places.ts";

const never = new AbortController().signal;

/** A model that answers when it is told to, oldest call first. */
function slowModel() {
  const calls: ((reply: Reply) => void)[] = [];
  const model: ChatModel = () => new Promise((resolve) => calls.push(resolve));
  return { model, calls };
}

const request = { messages: [] };

test("no more calls than places, and the one that has waited longest goes next", async () => {
  const { model, calls } = slowModel();
  const limited = callInPlace(model, { places: createPlaces(2) });
  const replies = ["a", "b", "c", "d"].map((name) => limited(request, { signal: never }).then(() => name));
  await Promise.resolve();
  expect(calls).toHaveLength(2);
  calls[0]?.(sampleReply(""));
  expect(await Promise.race(replies)).toBe("a");
  expect(calls).toHaveLength(3);
  calls[1]?.(sampleReply(""));
  await replies[1];
  calls[2]?.(sampleReply(""));
  expect(await replies[2]).toBe("c");
});

test("a call that failed gives its place back", async () => {
  let calls = 0;
  const failing: ChatModel = async () => {
    calls += 1;
    throw new Error("no");
  };
  const limited = callInPlace(failing, { places: createPlaces(1) });
  await expect(limited(request, { signal: never })).rejects.toThrow("no");
  await expect(limited(request, { signal: never })).rejects.toThrow("no");
  expect(calls).toBe(2);
});

test("whoever goes away while waiting takes no place", async () => {
  const { model, calls } = slowModel();
  const limited = callInPlace(model, { places: createPlaces(1) });
  const controller = new AbortController();
  const first = limited(request, { signal: never });
  const second = limited(request, { signal: controller.signal });
  const third = limited(request, { signal: never });
  controller.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  calls[0]?.(sampleReply(""));
  await first;
  await Promise.resolve();
  calls[1]?.(sampleReply(""));
  expect(await third).toMatchObject({ ok: true });
});

test("spare places are for owners that have fewer calls under way than are left of them", async () => {
  const places = createPlaces(8, 4);
  const given: { owner: string; giveBack: () => void }[] = [];
  async function ask(owner: string, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      void Promise.resolve(places.take(owner, never)).then((giveBack) => given.push({ owner, giveBack }));
    }
    await setImmediate();
  }
  const owners = () => Object.groupBy(given.splice(0), ({ owner }) => owner);

  await ask("first", 20);
  const first = owners()["first"] ?? [];
  await ask("second", 20);
  const second = owners()["second"] ?? [];
  await ask("third", 20);
  const third = owners()["third"] ?? [];
  expect([first.length, second.length, third.length]).toEqual([8, 2, 1]);

  // Whoever has taken the places that all may have gets none back while spare ones are taken.
  for (const { giveBack } of first.splice(0, 3)) giveBack();
  await setImmediate();
  expect(Object.keys(owners())).not.toContain("first");
  for (const { giveBack } of [...first, ...second, ...third]) giveBack();
  await setImmediate();
  expect(Object.keys(owners())).toContain("first");
});
