import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { TokenUsage } from "../../contract/ports/chat-model.ts";
import { plainRecord } from "./json-values.ts";

/** Reads a provider's counts. Numbers may come as text, be missing in part, or be nonsense; with none at all it is null. */
export function tokenUsage(value: unknown): TokenUsage | null {
  if (!isRecord(value)) return null;
  const prompt = count(value["prompt_tokens"] ?? value["input_tokens"]);
  const completion = count(value["completion_tokens"] ?? value["output_tokens"]);
  const total = count(value["total_tokens"]);
  if (prompt === null && completion === null && total === null) return null;
  const known = { prompt: prompt ?? 0, completion: completion ?? 0 };
  return {
    prompt_tokens: known.prompt,
    completion_tokens: known.completion,
    total_tokens: total ?? known.prompt + known.completion,
    prompt_tokens_details:
      plainRecord(value["prompt_tokens_details"] ?? value["input_tokens_details"]) ?? cached(value),
    completion_tokens_details: plainRecord(value["completion_tokens_details"] ?? value["output_tokens_details"]),
  };
}

/** DeepSeek and Moonshot tell of their caches in fields of their own. */
function cached({ prompt_cache_hit_tokens, cached_tokens }: JsonRecord): JsonRecord | null {
  const read = count(prompt_cache_hit_tokens ?? cached_tokens);
  return read === null ? null : { cached_tokens: read };
}

function count(value: unknown): number | null {
  const number = typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value;
  const whole = typeof number === "number" ? Math.round(number) : Number.NaN;
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : null;
}
