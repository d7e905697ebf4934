import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import type { PriceOf } from "../evaluation/helper-usage.ts";

const oneToken = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** A limit on money stops nothing where calls have no price, which whoever sets one has to know. */
export function budgetWarnings({ budget, model_id }: RunSettings, priceOf: PriceOf | undefined): readonly Warning[] {
  if (budget?.money === undefined || (priceOf?.({ model: null, usage: oneToken }) ?? null) !== null) return [];
  const model = JSON.stringify(model_id.slice(0, 80));
  return [
    {
      pointer: "/budget/money",
      message: `stops nothing unless replies name a model with a price: none is known for ${model} (REHEARSAL_PRICES_FILE gives it one)`,
    },
  ];
}
