import { expect, test } from "vitest";
import { addUsage, noUsage, priceUsage, toUsage } from "./usage.ts";

const counts = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 0,
  prompt_tokens_details: { cached_tokens: 60, cache_creation_tokens: 30, audio_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 15 },
};

test("parts of the tokens are kept where a provider tells of them, and added up", () => {
  const usage = toUsage(counts);
  expect(usage).toEqual({
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    cached_tokens: 60,
    cache_write_tokens: 30,
    reasoning_tokens: 15,
  });
  const untold = toUsage({
    ...counts,
    prompt_tokens_details: null,
    completion_tokens_details: { reasoning_tokens: -1 },
  });
  expect(untold).toEqual({ input_tokens: 100, output_tokens: 20, total_tokens: 120 });
  expect(addUsage(usage, untold)).toMatchObject({ input_tokens: 200, cached_tokens: 60, reasoning_tokens: 15 });
  expect(addUsage(noUsage, untold)).toEqual(untold);
});

test("what was thought and stands in the total alone is output", () => {
  const toldBy = (prompt_tokens: number, completion_tokens: number, total_tokens: number, reasoning_tokens?: number) =>
    toUsage({
      prompt_tokens,
      completion_tokens,
      total_tokens,
      ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
    });
  // As xAI counts, Gemini, and OpenAI.
  expect(toldBy(32, 9, 135, 94)).toEqual({
    input_tokens: 32,
    output_tokens: 103,
    total_tokens: 135,
    reasoning_tokens: 94,
  });
  expect(toldBy(20, 198, 623)).toEqual({ input_tokens: 20, output_tokens: 603, total_tokens: 623 });
  expect(toldBy(20, 198, 218, 150)).toMatchObject({ output_tokens: 198, total_tokens: 218 });
  // A total that has the input from a cache as well, which the provider leaves out of its count of the input.
  const cached = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 };
  expect(toUsage({ ...cached, prompt_tokens_details: { cached_tokens: 100 } })).toMatchObject({ output_tokens: 5 });
});

test("input that a cache holds has its own price", () => {
  const usage = toUsage(counts);
  expect(priceUsage(usage, { input: 10, output: 1 })).toBe(1020);
  expect(priceUsage(usage, { input: 10, output: 1, cached_input: 1, cache_write: 12 })).toBe(100 + 60 + 360 + 20);
  const kept = { ...usage, cache_write_1h_tokens: 20 };
  expect(priceUsage(kept, { input: 10, output: 1, cache_write: 12, cache_write_1h: 20 })).toBe(700 + 120 + 400 + 20);
  expect(priceUsage(kept, { input: 10, output: 1, cache_write: 12 })).toBe(700 + 360 + 20);
  const uncached = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
  expect(priceUsage(uncached, { input: 10, output: 1, cached_input: 1, cache_write: 12 })).toBe(1020);
  // Counts that do not fit together never make a price negative.
  expect(priceUsage({ ...usage, cached_tokens: 999 }, { input: 10, output: 1, cached_input: 1 })).toBe(120);
});
