import { expect, test } from "vitest";
import { createTextQueue, type TextQueue } from "./completion.ts";

async function readAll(queue: TextQueue): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of queue) pieces.push(piece);
  return pieces;
}

test("yields text in order, then ends", async () => {
  const queue = createTextQueue();
  queue.push("a");
  queue.push("b");
  const read = readAll(queue);
  await Promise.resolve();
  queue.push("c");
  queue.end();
  expect(await read).toEqual(["a", "b", "c"]);
});

test("yields nothing from an empty queue", async () => {
  const queue = createTextQueue();
  queue.end();
  expect(await readAll(queue)).toEqual([]);
});
