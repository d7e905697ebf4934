import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { StoredReply } from "../contract/schemas/interaction-result.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { spentOnReply, type Spent } from "./budget.ts";
import { estimateCalls } from "./estimate-calls.ts";
import type { PriceOf } from "./helper-usage.ts";
import { untoldSpent } from "./untold-spent.ts";

export interface SpendingTurn {
  readonly scenario_index: number;
  readonly turn_index: number;
  readonly reply: StoredReply;
}

/** What the reply to a turn took, whether its endpoint tells tokens or not. */
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
    return untoldSpent({ input, reply: reply.agent_reply, model: reply.model }, priceOf);
  };
}
