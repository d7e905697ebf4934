import type { Spent } from "./budget.ts";
import type { PriceOf } from "./helper-usage.ts";
import { estimateTokens } from "./text/estimate-tokens.ts";

/**
 * What a call took whose endpoint does not tell tokens: by the length of what was said, so that a budget of tokens or money stops a
 * run there too. `input`: tokens that went out.
 */
export function untoldSpent(
  { input, reply, model }: { input: number; reply: string; model: string | null },
  priceOf: PriceOf | undefined,
): Spent {
  const output = estimateTokens(reply);
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return { calls: 1, tokens: usage.total_tokens, money: priceOf?.({ model, usage }) ?? 0 };
}
