import type { RunSettings } from "../contract/evaluation-request.ts";
import type { StoredReply } from "../contract/interaction-result.ts";
import type { Scenario } from "../contract/scenario.ts";
import { spentOnReply, type Spent } from "./budget.ts";
import { estimateCalls } from "./estimate-calls.ts";
import type { PriceOf } from "./helper-usage.ts";
import { estimateTokens } from "./text/estimate-tokens.ts";

export interface SpendingTurn {
  readonly scenario_index: number;
  readonly turn_index: number;
  readonly reply: StoredReply;
}

/**
 * What the reply to a turn took. Not every endpoint tells the tokens of its replies: those count by the length of what was said, so
 * that a budget of tokens or money stops a run there too.
 */
export function createSpentOnTurn(
  settings: Pick<RunSettings, "system_prompt" | "parameters">,
  { scenarios, priceOf }: { scenarios: readonly Scenario[]; priceOf: PriceOf | undefined },
): (turn: SpendingTurn) => Spent {
  /** Tokens that go out with each turn, by scenario. Kept, since all texts of a scenario are looked through for them. */
  const inputs = new Map<number, readonly number[]>();

  function inputsOf(index: number): readonly number[] {
    const known = inputs.get(index);
    if (known) return known;
    const scenario = scenarios[index];
    const found = scenario ? estimateCalls(scenario, { settings }).map(({ input }) => input) : [];
    inputs.set(index, found);
    return found;
  }

  return ({ scenario_index, turn_index, reply }) => {
    const told = spentOnReply(reply);
    if (told.calls === 0 || reply.usage || reply.error) return told;
    const ofTurns = inputsOf(scenario_index);
    const input = ofTurns[turn_index % ofTurns.length] ?? 0;
    const output = estimateTokens(reply.agent_reply);
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    return { ...told, tokens: usage.total_tokens, money: priceOf?.({ model: reply.model, usage }) ?? 0 };
  };
}
