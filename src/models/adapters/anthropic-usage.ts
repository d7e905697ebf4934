import { isRecord } from "../../base/json.ts";
import type { TokenUsage } from "../../contract/ports/chat-model.ts";
import { tokenUsage } from "./token-usage.ts";

/** Counts of the messages API, where `input_tokens` leaves out what was read from or written to the cache: the prompt is all three. */
export function anthropicUsage(value: unknown): TokenUsage | null {
  const usage = tokenUsage(value);
  if (!usage || !isRecord(value)) return usage;
  const cached = count(value["cache_read_input_tokens"]);
  const written = count(value["cache_creation_input_tokens"]);
  const kept = isRecord(value["cache_creation"]) ? count(value["cache_creation"]["ephemeral_1h_input_tokens"]) : 0;
  const prompt = usage.prompt_tokens + cached + written;
  return {
    ...usage,
    prompt_tokens: prompt,
    total_tokens: prompt + usage.completion_tokens,
    prompt_tokens_details: cached + written > 0 ? inputDetails({ cached, written, kept }) : null,
    completion_tokens_details: outputDetails(usage),
  };
}

/** `kept`: of what was written, for an hour, which costs more than the usual five minutes. */
function inputDetails({ cached, written, kept }: { cached: number; written: number; kept: number }) {
  const usual = { cached_tokens: cached, cache_write_tokens: written };
  return kept > 0 ? { ...usual, cache_write_1h_tokens: kept } : usual;
}

/** What is thought goes by the name that it has everywhere else. */
function outputDetails({ completion_tokens_details: details }: TokenUsage): TokenUsage["completion_tokens_details"] {
  if (details?.["thinking_tokens"] === undefined) return details;
  const { thinking_tokens, ...others } = details;
  return { reasoning_tokens: thinking_tokens, ...others };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
