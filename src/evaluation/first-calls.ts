import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { estimateCalls, type EstimatedCall } from "./estimate-calls.ts";
import type { PriceOf } from "./helper-usage.ts";

/** Tokens of a long reply, where nothing limits them. */
const longReply = 1_000;

const sizeOf = ({ input, output }: EstimatedCall): number => input + output;

/**
 * How many calls a budget of tokens or money should bear while none has told what one takes: at least one, and any number where the
 * budget has neither.
 */
export function firstCalls(
  settings: Pick<RunSettings, "budget" | "system_prompt" | "parameters" | "model_id">,
  { scenarios, priceOf }: { scenarios: readonly Scenario[]; priceOf: PriceOf | undefined },
): number {
  const { tokens, money } = settings.budget ?? {};
  if (tokens === undefined && money === undefined) return Number.POSITIVE_INFINITY;
  const calls = scenarios.flatMap((scenario) => estimateCalls(scenario, { settings, reply: longReply }));
  const { input, output } = calls.reduce((left, right) => (sizeOf(right) > sizeOf(left) ? right : left));
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const price = priceOf?.({ model: settings.model_id, usage }) ?? 0;
  const byTokens = tokens === undefined ? Number.POSITIVE_INFINITY : tokens / usage.total_tokens;
  const byMoney = money === undefined || price === 0 ? Number.POSITIVE_INFINITY : money / price;
  return Math.max(1, Math.floor(Math.min(byTokens, byMoney)));
}
