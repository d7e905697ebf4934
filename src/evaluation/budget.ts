import type { Budget } from "../contract/budget.ts";
import type { StoredReply, StoredScores } from "../contract/interaction-result.ts";

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

/** What one stored turn took, judging and labelling included. A turn that was not called took nothing. */
export function spentOn({ reply, scores }: { reply: StoredReply; scores: StoredScores | null }): Spent {
  const helpers = [scores?.helper_usage, scores?.conversation?.helper_usage];
  let spent: Spent = {
    calls: reply.tries > 0 ? 1 : 0,
    tokens: reply.usage?.total_tokens ?? 0,
    money: reply.cost ?? 0,
  };
  for (const helper of helpers) {
    if (helper)
      spent = addSpent(spent, { calls: helper.calls, tokens: helper.usage.total_tokens, money: helper.cost ?? 0 });
  }
  return spent;
}

/**
 * Whether a limit is reached. Calls under way count: each as one call, and as the mean of tokens and money of those before it, so
 * that many at once cannot run far past a limit.
 */
export function isSpent(
  budget: Budget,
  { spent, underWay = 0, late = false }: { spent: Spent; underWay?: number; late?: boolean },
): boolean {
  const expected = (total: number) => total + (spent.calls === 0 ? 0 : (total / spent.calls) * underWay);
  return (
    late ||
    (budget.calls !== undefined && spent.calls + underWay >= budget.calls) ||
    (budget.tokens !== undefined && expected(spent.tokens) >= budget.tokens) ||
    (budget.money !== undefined && expected(spent.money) >= budget.money)
  );
}
