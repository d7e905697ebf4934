import { expect, test } from "vitest";
import { createWakeUps } from "./wake-ups.ts";

test("what is announced many times at once wakes once, each news by itself", async () => {
  const wakeUps = createWakeUps<string>();
  const told: string[] = [];
  wakeUps.listen((news) => told.push(news));
  for (const news of ["a", "b", "a", "a"]) wakeUps.announce(news);
  expect(told).toEqual([]);
  await Promise.resolve();
  expect(told).toEqual(["a", "b"]);
  wakeUps.announce("a");
  await Promise.resolve();
  expect(told).toEqual(["a", "b", "a"]);
});

test("what is announced by a listener is told after it", async () => {
  const wakeUps = createWakeUps();
  let told = 0;
  wakeUps.listen(() => {
    told += 1;
    if (told < 3) wakeUps.announce();
  });
  wakeUps.announce();
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toBe(3);
});
