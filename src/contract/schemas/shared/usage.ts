import { z } from "zod";
import type { TokenUsage } from "../../ports/chat-model.ts";

const detail = z.int().min(0).exactOptional();

/** Tokens of one model call, or the sum of many. Details are present when the provider reports them. */
export const Usage = z
  .object({
    input_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
    cached_tokens: detail.describe("Input tokens read from the provider's cache."),
    cache_write_tokens: detail.describe("Input tokens written to the provider's cache."),
    cache_write_1h_tokens: detail.describe("Tokens written to the cache for an hour, which costs more."),
    reasoning_tokens: detail.describe("Output tokens used for reasoning."),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof Usage>;

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

const details = ["cached_tokens", "cache_write_tokens", "cache_write_1h_tokens", "reasoning_tokens"] as const;
type UsageDetails = Pick<Usage, (typeof details)[number]>;

type Counts = Pick<TokenUsage, "prompt_tokens" | "completion_tokens" | "total_tokens"> & Partial<TokenUsage>;

/** Converts a provider's token counts. Some providers omit the total or send 0. */
export function toUsage(counts: Counts): Usage {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = counts;
  const output_tokens = completion_tokens + uncountedReasoning(counts);
  return {
    input_tokens: prompt_tokens,
    output_tokens,
    total_tokens: total_tokens > 0 ? total_tokens : prompt_tokens + output_tokens,
    ...(prompt_tokens_details && inputDetails(prompt_tokens_details)),
    ...(completion_tokens_details && outputDetails(completion_tokens_details)),
  };
}

/**
 * Reasoning tokens that xAI and Gemini count only in the total; they are billed as output. When a provider reports details without
 * reasoning tokens, the rest of the total is something else.
 */
function uncountedReasoning(counts: Counts): number {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = counts;
  const rest = Math.max(0, total_tokens - prompt_tokens - completion_tokens);
  if (!prompt_tokens_details && !completion_tokens_details) return rest;
  const { reasoning_tokens = 0 } = outputDetails(completion_tokens_details ?? {});
  return reasoning_tokens <= rest ? reasoning_tokens : 0;
}

function outputDetails({ reasoning_tokens }: Readonly<Record<string, unknown>>): UsageDetails {
  return validCounts({ reasoning_tokens });
}

/** OpenRouter and LiteLLM use different names for tokens written to the cache. */
function inputDetails(reported: Readonly<Record<string, unknown>>): UsageDetails {
  const { cached_tokens, cache_write_tokens, cache_creation_tokens, cache_write_1h_tokens } = reported;
  const written = cache_write_tokens ?? cache_creation_tokens;
  return validCounts({ cached_tokens, cache_write_tokens: written, cache_write_1h_tokens });
}

function validCounts(counts: Readonly<Record<string, unknown>>): UsageDetails {
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0),
  );
}

export function addUsage(left: Usage, right: Usage | null | undefined): Usage {
  if (!right) return left;
  const sum: Usage = {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
  };
  for (const name of details) {
    if (left[name] !== undefined || right[name] !== undefined) sum[name] = (left[name] ?? 0) + (right[name] ?? 0);
  }
  return sum;
}

/** Prices of tokens, in any unit. Cached input may have prices of its own. */
export interface UsagePrice {
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number | undefined;
  readonly cache_write?: number | undefined;
  /** Tokens written to the cache for an hour. */
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

/** Usage of judges, labellers and simulators. */
export const HelperUsage = z
  .object({
    calls: z.int().min(0),
    usage: Usage,
    cost: z.number().min(0).nullable(),
    unpriced: z.int().min(0).optional().describe("Answers with an unknown price, which are not in `cost`."),
    refused: z.int().min(0).optional().describe("Calls that were skipped because the budget was spent."),
  })
  .meta({ id: "HelperUsage" });
export type HelperUsage = z.infer<typeof HelperUsage>;
