import { expect, test } from "vitest";
import { addUsage, noUsage, priceUsage, toUsage } from "./usage.ts";

const counts = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 0,
  prompt_tokens_details: { cached_tokens: 60, cache_creation_tokens: 30, audio_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 15 },
};

test("keeps the details a provider reports, and adds them up", () => {
  const usage = toUsage(counts);
  expect(usage).toEqual({
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    cached_tokens: 60,
    cache_write_tokens: 30,
    reasoning_tokens: 15,
  });
  const withoutDetails = toUsage({
    ...counts,
    prompt_tokens_details: null,
    completion_tokens_details: { reasoning_tokens: -1 },
  });
  expect(withoutDetails).toEqual({ input_tokens: 100, output_tokens: 20, total_tokens: 120 });
  expect(addUsage(usage, withoutDetails)).toMatchObject({ input_tokens: 200, cached_tokens: 60, reasoning_tokens: 15 });
  expect(addUsage(noUsage, withoutDetails)).toEqual(withoutDetails);
});

test("counts reasoning that is only in the total as output", () => {
  const usageFor = (
    prompt_tokens: number,
    completion_tokens: number,
    total_tokens: number,
    reasoning_tokens?: number,
  ) =>
    toUsage({
      prompt_tokens,
      completion_tokens,
      total_tokens,
      ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
    });
  // The ways of xAI, Gemini and OpenAI.
  expect(usageFor(32, 9, 135, 94)).toEqual({
    input_tokens: 32,
    output_tokens: 103,
    total_tokens: 135,
    reasoning_tokens: 94,
  });
  expect(usageFor(20, 198, 623)).toEqual({ input_tokens: 20, output_tokens: 603, total_tokens: 623 });
  expect(usageFor(20, 198, 218, 150)).toMatchObject({ output_tokens: 198, total_tokens: 218 });
  // A total that includes cached input, which the provider leaves out of its input count.
  const cached = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 };
  expect(toUsage({ ...cached, prompt_tokens_details: { cached_tokens: 100 } })).toMatchObject({ output_tokens: 5 });
});

test("prices cached input separately", () => {
  const usage = toUsage(counts);
  expect(priceUsage(usage, { input: 10, output: 1 })).toBe(1020);
  expect(priceUsage(usage, { input: 10, output: 1, cached_input: 1, cache_write: 12 })).toBe(100 + 60 + 360 + 20);
  const kept = { ...usage, cache_write_1h_tokens: 20 };
  expect(priceUsage(kept, { input: 10, output: 1, cache_write: 12, cache_write_1h: 20 })).toBe(700 + 120 + 400 + 20);
  expect(priceUsage(kept, { input: 10, output: 1, cache_write: 12 })).toBe(700 + 360 + 20);
  const uncached = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
  expect(priceUsage(uncached, { input: 10, output: 1, cached_input: 1, cache_write: 12 })).toBe(1020);
  // Inconsistent counts never make a price negative.
  expect(priceUsage({ ...usage, cached_tokens: 999 }, { input: 10, output: 1, cached_input: 1 })).toBe(120);
});
