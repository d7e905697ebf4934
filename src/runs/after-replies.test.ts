import { expect, test } from "vitest";
import { afterReplies } from "./after-replies.ts";

test("those who wait take turns in order, a few in each turn of the event loop", async () => {
  let loop = 0;
  let counting = true;
  const count = () => {
    loop += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      await afterReplies();
      return { index, loop };
    }),
  );
  counting = false;
  expect(turns.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  const perLoop = Object.values(Object.groupBy(turns, (turn) => turn.loop)).map((group) => group?.length ?? 0);
  expect(Math.max(...perLoop)).toBe(32);
  expect(turns.map((turn) => turn.loop)).toEqual(
    turns.map((turn) => turn.loop).toSorted((left, right) => left - right),
  );
});

test("whoever asks later gets a turn too", async () => {
  await afterReplies();
  await expect(Promise.all([afterReplies(), afterReplies()])).resolves.toHaveLength(2);
});
