import type { TokenUsage } from "../contract/model.ts";

/** Parts of a run's tokens, added up over its model calls. null: no endpoint told. */
export interface UsageDetails {
  /** Of the input: read from the provider's cache. */
  readonly cached_tokens: number | null;
  /** Of the output: thought, not said. */
  readonly reasoning_tokens: number | null;
}

export const noDetails: UsageDetails = { cached_tokens: null, reasoning_tokens: null };

export function addDetails(known: UsageDetails, usage: TokenUsage): UsageDetails {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  if (!input && !output) return known;
  return {
    cached_tokens: sum(known.cached_tokens, input?.["cached_tokens"]),
    reasoning_tokens: sum(known.reasoning_tokens, output?.["reasoning_tokens"]),
  };
}

function sum(known: number | null, told: unknown): number | null {
  return typeof told === "number" && Number.isSafeInteger(told) && told >= 0 ? (known ?? 0) + told : known;
}
