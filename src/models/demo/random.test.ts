import { expect, test } from "vitest";
import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import { createRandom } from "../../base/random.ts";
import { createDice, pick } from "./demo-models.ts";

const request: ChatRequest = { messages: [{ role: "user", content: "Hello" }] };

test("derives evenly spread numbers from the seed", () => {
  const [left, right] = [createRandom("a"), createRandom("a")];
  const numbers = Array.from({ length: 1_000 }, left);
  expect(numbers).toEqual(Array.from({ length: 1_000 }, right));
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  expect(mean).toBeGreaterThan(0.45);
  expect(mean).toBeLessThan(0.55);
  expect(createRandom("b")()).not.toBe(numbers[0]);
});

test("gives each call new random numbers, repeatable by seed", () => {
  const rolls = (seed: string) => {
    const dice = createDice(seed);
    return [dice(request)(), dice(request)(), dice(request)()];
  };
  expect(new Set(rolls("a")).size).toBe(3);
  expect(rolls("a")).toEqual(rolls("a"));
  expect(rolls("a")).not.toEqual(rolls("b"));
});

test("gives a request with a seed the same random numbers every time", () => {
  const seeded: ChatRequest = { ...request, parameters: { seed: 7 } };
  const dice = createDice("a");
  expect(dice(seeded)()).toBe(dice(seeded)());
  expect(dice(seeded)()).not.toBe(dice({ ...seeded, parameters: { seed: 8 } })());
});

test("can pick every choice", () => {
  const random = createRandom("pick");
  const picked = Array.from({ length: 50 }, () => pick(random, ["a", "b", "c"]));
  expect(new Set(picked)).toEqual(new Set(["a", "b", "c"]));
});
