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
  const limited = callInPlace(model, createPlaces(2));
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
  const limited = callInPlace(failing, createPlaces(1));
  await expect(limited(request, { signal: never })).rejects.toThrow("no");
  await expect(limited(request, { signal: never })).rejects.toThrow("no");
  expect(calls).toBe(2);
});

test("whoever goes away while waiting takes no place", async () => {
  const { model, calls } = slowModel();
  const limited = callInPlace(model, createPlaces(1));
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
