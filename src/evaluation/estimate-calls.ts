import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { referenceReplies } from "./reference-replies.ts";
import { estimateTokens } from "./text/estimate-tokens.ts";

/** Tokens of one call of the model under test, as far as they can be told beforehand. */
export interface EstimatedCall {
  readonly input: number;
  readonly output: number;
}

// For want of earlier runs a reply is like its reference, else this long.
const usualReply = 150;
const perMessage = 4;

/** The calls of one pass through a scenario: each carries the conversation so far. */
export function estimateCalls(
  { interactions, system_prompt }: Pick<Scenario, "interactions" | "system_prompt">,
  { settings, reply }: { settings: Pick<RunSettings, "system_prompt" | "parameters">; reply?: number | undefined },
): EstimatedCall[] {
  const prompt = system_prompt ?? settings.system_prompt;
  let history = prompt ? estimateTokens(prompt) + perMessage : 0;
  return interactions.map((interaction) => {
    history += estimateTokens(interaction.user_message) + perMessage;
    const input = history;
    const [reference] = referenceReplies(interaction);
    const guess = reply ?? (reference ? estimateTokens(reference) : usualReply);
    const output = Math.min(guess, settings.parameters?.max_tokens ?? Number.POSITIVE_INFINITY);
    history += output + perMessage;
    return { input, output };
  });
}
