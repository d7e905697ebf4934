import { reaches } from "../../base/numbers.ts";
import type { Budget } from "../../contract/schemas/budget.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { StoredReply, StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { HelperUsage } from "../../contract/schemas/shared/usage.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { estimateCalls, estimateTokens, type EstimatedCall } from "./estimate-tokens.ts";
import type { PriceOf } from "../helpers/helper-usage.ts";

/** Calls made, their tokens, and their price in US dollars where it is known. */
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

export function subtractSpent(left: Spent, right: Spent): Spent {
  return addSpent(left, { calls: -right.calls, tokens: -right.tokens, money: -right.money });
}

/** Spent on one stored turn, including judging and labelling. */
export function spentOn({ reply, scores }: { reply: StoredReply; scores: StoredScores | null }): Spent {
  return addSpent(spentOnReply(reply), spentOnHelpers({ reply, scores }));
}

/** Spent on the reply itself; nothing for a turn that was not called, or whose reply is that of another run. */
export function spentOnReply({ tries, usage, cost, model_calls, reused }: StoredReply): Spent {
  if (reused) return noSpent;
  return { calls: model_calls ?? (tries > 0 ? 1 : 0), tokens: usage?.total_tokens ?? 0, money: cost ?? 0 };
}

/** Spent on judging and labelling a turn, and on the simulated user. */
export function spentOnHelpers({ reply, scores }: { reply: StoredReply; scores: StoredScores | null }): Spent {
  const { helper_usage, conversation } = scores ?? {};
  const used = [
    helper_usage,
    conversation?.helper_usage,
    reply.user_turn?.helper_usage,
    conversation?.user?.helper_usage,
  ];
  return used.map(spentByHelper).reduce(addSpent, noSpent);
}

export function spentByHelper(helper: HelperUsage | undefined): Spent {
  return helper ? { calls: helper.calls, tokens: helper.usage.total_tokens, money: helper.cost ?? 0 } : noSpent;
}

/** True when the budget prevented a call of the judge or labeller for this turn. */
export function wasHelperRefused(scores: StoredScores | null): boolean {
  return (scores?.helper_usage?.refused ?? 0) + (scores?.conversation?.helper_usage?.refused ?? 0) > 0;
}

/**
 * True when a limit is reached. Each call under way counts as an average call, so that many at once cannot run far past the
 * limit. Tolerates rounding: the sum of ten times 0.02 is slightly below 0.2.
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

/**
 * Estimates a call whose endpoint reports no token counts from the length of its texts, so that budgets of tokens and money
 * apply to such endpoints too. `input` is the estimated number of input tokens.
 */
export function estimateSpend(
  { input, reply, model }: { input: number; reply: string; model: string | null },
  priceOf: PriceOf | undefined,
): Spent {
  const output = estimateTokens(reply);
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return { calls: 1, tokens: usage.total_tokens, money: priceOf?.({ model, usage }) ?? 0 };
}

export interface SpendingTurn {
  readonly scenario_index: number;
  readonly turn_index: number;
  readonly reply: StoredReply;
}

/** Computes what a turn's reply spent, estimated when the endpoint reports no token counts. */
export function createSpentOnTurn(
  settings: Pick<RunSettings, "system_prompt" | "parameters">,
  { scenarios, priceOf }: { scenarios: readonly Scenario[]; priceOf: PriceOf | undefined },
): (turn: SpendingTurn) => Spent {
  /** Input tokens of each turn by scenario: cached, since estimating them reads every text of the scenario. */
  const inputs = new Map<number, readonly number[]>();

  function inputsOf(index: number): readonly number[] {
    const known = inputs.get(index);
    if (known) return known;
    const scenario = scenarios[index];
    const estimated = scenario ? estimateCalls(scenario, { settings }).map(({ input }) => input) : [];
    inputs.set(index, estimated);
    return estimated;
  }

  return ({ scenario_index, turn_index, reply }) => {
    const reported = spentOnReply(reply);
    if (reported.calls === 0 || reply.usage || reply.error) return reported;
    const ofTurns = inputsOf(scenario_index);
    const input = ofTurns[turn_index % ofTurns.length] ?? 0;
    const { calls } = reported;
    const { tokens, money } = estimateSpend({ input, reply: reply.agent_reply, model: reply.model }, priceOf);
    return { calls, tokens: tokens * calls, money: money * calls };
  };
}

/** Assumed length of an unlimited reply. */
const longReplyTokens = 1_000;

/**
 * Calls to admit before the first reply reports its usage, so that a budget of tokens or money is not overrun at the start. At
 * least one; unlimited without such a budget.
 */
export function initialCallLimit(
  settings: Pick<RunSettings, "budget" | "system_prompt" | "parameters" | "model_id">,
  { scenarios, priceOf }: { scenarios: readonly Scenario[]; priceOf: PriceOf | undefined },
): number {
  const { tokens, money } = settings.budget ?? {};
  if (tokens === undefined && money === undefined) return Number.POSITIVE_INFINITY;
  const calls = scenarios.flatMap((scenario) => estimateCalls(scenario, { settings, reply: longReplyTokens }));
  const total = ({ input, output }: EstimatedCall) => input + output;
  const { input, output } = calls.reduce((left, right) => (total(right) > total(left) ? right : left));
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const price = priceOf?.({ model: settings.model_id, usage }) ?? 0;
  const byTokens = tokens === undefined ? Number.POSITIVE_INFINITY : tokens / usage.total_tokens;
  const byMoney = money === undefined || price === 0 ? Number.POSITIVE_INFINITY : money / price;
  return Math.max(1, Math.floor(Math.min(byTokens, byMoney)));
}
