import { expect, test } from "vitest";
import { createTextQueue, type TextQueue } from "./completion-chunks.ts";

async function readAll(queue: TextQueue): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of queue) pieces.push(piece);
  return pieces;
}

test("what was pushed before and while reading arrives in order, then the loop ends", async () => {
  const queue = createTextQueue();
  queue.push("a");
  queue.push("b");
  const read = readAll(queue);
  await Promise.resolve();
  queue.push("c");
  queue.end();
  expect(await read).toEqual(["a", "b", "c"]);
});

test("an empty queue that has ended is an empty loop", async () => {
  const queue = createTextQueue();
  queue.end();
  expect(await readAll(queue)).toEqual([]);
});
