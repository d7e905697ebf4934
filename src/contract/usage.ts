import { z } from "zod";
import type { TokenUsage } from "./model.ts";

/** Tokens of one model call, or of many added up. */
export const Usage = z
  .object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0), total_tokens: z.int().min(0) })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof Usage>;

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

/** Tokens as a provider counted them. Some leave the total out, or send 0 for it. */
export function toUsage(counts: Pick<TokenUsage, "prompt_tokens" | "completion_tokens" | "total_tokens">): Usage {
  const { prompt_tokens, completion_tokens, total_tokens } = counts;
  return {
    input_tokens: prompt_tokens,
    output_tokens: completion_tokens,
    total_tokens: total_tokens > 0 ? total_tokens : prompt_tokens + completion_tokens,
  };
}

export function addUsage(left: Usage, right: Usage | null | undefined): Usage {
  if (!right) return left;
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
  };
}
