import { reaches } from "../base/numbers.ts";
import type { Budget } from "../contract/schemas/budget.ts";
import type { StoredReply, StoredScores } from "../contract/schemas/interaction-result.ts";
import type { HelperUsage } from "../contract/schemas/judge.ts";

/** What was spent: calls that were made, their tokens, and US dollars where prices are known. */
export interface Spent {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
}

export const noSpent: Spent = { calls: 0, tokens: 0, money: 0 };

export function addSpent(left: Spent, right: Spent): Spent {
  return {
    calls: left.calls + right.calls,
    tokens: left.tokens + right.tokens,
    money: left.money + right.money,
  };
}

export function withoutSpent(left: Spent, right: Spent): Spent {
  return addSpent(left, { calls: -right.calls, tokens: -right.tokens, money: -right.money });
}

/** What one stored turn took, judging and labelling included. */
export function spentOn({ reply, scores }: { reply: StoredReply; scores: StoredScores | null }): Spent {
  return addSpent(spentOnReply(reply), spentOnHelp(scores));
}

/** What the reply itself took. A turn that was not called took nothing. */
export function spentOnReply({ tries, usage, cost }: StoredReply): Spent {
  return { calls: tries > 0 ? 1 : 0, tokens: usage?.total_tokens ?? 0, money: cost ?? 0 };
}

/** What judging and labelling a turn took. */
export function spentOnHelp(scores: StoredScores | null): Spent {
  return addSpent(spentBy(scores?.helper_usage), spentBy(scores?.conversation?.helper_usage));
}

export function spentBy(helper: HelperUsage | undefined): Spent {
  return helper ? { calls: helper.calls, tokens: helper.usage.total_tokens, money: helper.cost ?? 0 } : noSpent;
}

/** Whether the budget kept a judge or a labeller from a call for this turn. */
export function wasRefused(scores: StoredScores | null): boolean {
  return (scores?.helper_usage?.refused ?? 0) + (scores?.conversation?.helper_usage?.refused ?? 0) > 0;
}

/**
 * Whether a limit is reached. Calls under way count: each as one call, and as the mean of tokens and money of those before it, so
 * that many at once cannot run far past a limit. Rounding must not decide: ten times 0.02 is a hair below 0.2.
 */
export function isSpent(
  budget: Budget,
  { spent, underWay = 0, late = false }: { spent: Spent; underWay?: number; late?: boolean },
): boolean {
  const expected = (total: number) => total + (spent.calls === 0 ? 0 : (total / spent.calls) * underWay);
  return (
    late ||
    (budget.calls !== undefined && spent.calls + underWay >= budget.calls) ||
    (budget.tokens !== undefined && reaches(expected(spent.tokens), budget.tokens)) ||
    (budget.money !== undefined && reaches(expected(spent.money), budget.money))
  );
}
