import { z } from "zod";
import type { TokenUsage } from "../ports/chat-model.ts";

const part = z.int().min(0).exactOptional();

/** Tokens of one model call, or of many added up. Parts of them are there where a provider tells. */
export const Usage = z
  .object({
    input_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
    cached_tokens: part.describe("Of the input: read from the provider's cache."),
    cache_write_tokens: part.describe("Of the input: written to the provider's cache."),
    cache_write_1h_tokens: part.describe("Of what was written to the cache: kept for an hour, which costs more."),
    reasoning_tokens: part.describe("Of the output: thought, not said."),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof Usage>;

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

const parts = ["cached_tokens", "cache_write_tokens", "cache_write_1h_tokens", "reasoning_tokens"] as const;
type UsageParts = Pick<Usage, (typeof parts)[number]>;

type Counts = Pick<TokenUsage, "prompt_tokens" | "completion_tokens" | "total_tokens"> & Partial<TokenUsage>;

/** Tokens as a provider counted them. Some leave the total out, or send 0 for it. */
export function toUsage(counts: Counts): Usage {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = counts;
  const output_tokens = completion_tokens + thoughtApart(counts);
  return {
    input_tokens: prompt_tokens,
    output_tokens,
    total_tokens: total_tokens > 0 ? total_tokens : prompt_tokens + output_tokens,
    ...(prompt_tokens_details && inputParts(prompt_tokens_details)),
    ...(completion_tokens_details && outputParts(completion_tokens_details)),
  };
}

/**
 * Tokens that xAI and Gemini count in the total alone: what was thought, which is paid for like what was said. Where a provider tells of
 * parts and thoughts are none of them, the total has something else.
 */
function thoughtApart(counts: Counts): number {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = counts;
  const apart = Math.max(0, total_tokens - prompt_tokens - completion_tokens);
  if (!prompt_tokens_details && !completion_tokens_details) return apart;
  const { reasoning_tokens = 0 } = outputParts(completion_tokens_details ?? {});
  return reasoning_tokens <= apart ? reasoning_tokens : 0;
}

function outputParts({ reasoning_tokens }: Readonly<Record<string, unknown>>): UsageParts {
  return countsIn({ reasoning_tokens });
}

/** What is written goes by the name of OpenRouter or of LiteLLM. */
function inputParts(details: Readonly<Record<string, unknown>>) {
  const { cached_tokens, cache_write_tokens, cache_creation_tokens, cache_write_1h_tokens } = details;
  const written = cache_write_tokens ?? cache_creation_tokens;
  return countsIn({ cached_tokens, cache_write_tokens: written, cache_write_1h_tokens });
}

function countsIn(told: Readonly<Record<string, unknown>>): UsageParts {
  return Object.fromEntries(
    Object.entries(told).filter(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0),
  );
}

export function addUsage(left: Usage, right: Usage | null | undefined): Usage {
  if (!right) return left;
  const sum: Usage = {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
  };
  for (const name of parts) {
    if (left[name] !== undefined || right[name] !== undefined) sum[name] = (left[name] ?? 0) + (right[name] ?? 0);
  }
  return sum;
}

/** Money for tokens, in any unit. Input that is read from a cache, or written to one, may have a price of its own. */
export interface UsagePrice {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number | undefined;
  readonly cache_write?: number | undefined;
  /** Of what the cache keeps for an hour. */
  readonly cache_write_1h?: number | undefined;
}

export function priceUsage(
  usage: Usage,
  { input, output, cached_input = input, cache_write = input, cache_write_1h = cache_write }: UsagePrice,
): number {
  const cached = Math.min(usage.cached_tokens ?? 0, usage.input_tokens);
  const written = Math.min(usage.cache_write_tokens ?? 0, usage.input_tokens - cached);
  const kept = Math.min(usage.cache_write_1h_tokens ?? 0, written);
  const read = usage.input_tokens - cached - written;
  const writing = (written - kept) * cache_write + kept * cache_write_1h;
  return read * input + cached * cached_input + writing + usage.output_tokens * output;
}
