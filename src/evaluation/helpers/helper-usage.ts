import { compact } from "../../base/compact.ts";
import { roundDollars } from "../../base/numbers.ts";
import { type HelperUsage, addUsage, noUsage, toUsage, type Usage } from "../../contract/schemas/shared/usage.ts";
import type { FailedReply, SuccessfulReply } from "../../contract/ports/chat-model.ts";

/** US dollars for the tokens of one call; null when no price is known for the model. */
export type PriceOf = (call: { readonly model: string | null; readonly usage: Usage }) => number | null;

export const noHelperUsage: HelperUsage = { calls: 0, usage: noUsage, cost: null };

/** Usage of one successful call of a judge or labeller. */
export function helperUsageOf(reply: SuccessfulReply, priceOf?: PriceOf): HelperUsage {
  const usage = reply.usage && toUsage(reply.usage);
  const cost = usage ? (priceOf?.({ model: reply.model, usage }) ?? null) : null;
  return compact({ calls: 1, usage: usage ?? noUsage, cost, unpriced: cost === null ? 1 : undefined });
}

/** A failed call counts without tokens; a call refused by the budget counts as refused, not as made. */
export function failedHelperUsage({ error }: FailedReply): HelperUsage {
  if (error.code === "budget_exceeded") return { ...noHelperUsage, refused: 1 };
  return error.tries === 0 ? noHelperUsage : { calls: 1, usage: noUsage, cost: null };
}

export function addHelperUsage(left: HelperUsage, right: HelperUsage | undefined): HelperUsage {
  if (!right) return left;
  const cost = left.cost === null ? right.cost : roundDollars(left.cost + (right.cost ?? 0));
  const unpriced = (left.unpriced ?? 0) + (right.unpriced ?? 0);
  const refused = (left.refused ?? 0) + (right.refused ?? 0);
  return compact({
    calls: left.calls + right.calls,
    usage: addUsage(left.usage, right.usage),
    cost,
    unpriced: unpriced || undefined,
    refused: refused || undefined,
  });
}

/** True when a call was made, or refused by the budget. */
export function hasHelperUsage({ calls, refused = 0 }: HelperUsage): boolean {
  return calls + refused > 0;
}
