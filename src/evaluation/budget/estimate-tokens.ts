import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { referenceReplies } from "../conversation/conversation.ts";

/** Rough token count for most models: four characters per token, one in scripts written without spaces. */
export function estimateTokens(text: string): number {
  const dense =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu)?.length ?? 0;
  return Math.ceil(dense + (text.length - dense) / 4);
}

/** Estimated tokens of one call of the model under test. */
export interface EstimatedCall {
  readonly input: number;
  readonly output: number;
}

/** Assumed reply length without earlier runs and without a reference. */
const usualReply = 150;
const perMessage = 4;

/** The calls of one pass through a scenario; each sends the conversation so far. */
export function estimateCalls(
  { interactions, system_prompt }: Pick<Scenario, "interactions" | "system_prompt">,
  { settings, reply }: { settings: Pick<RunSettings, "system_prompt" | "parameters">; reply?: number | undefined },
): EstimatedCall[] {
  const prompt = system_prompt ?? settings.system_prompt;
  let history = prompt ? estimateTokens(prompt) + perMessage : 0;
  return interactions.map((interaction) => {
    history += estimateTokens(interaction.prompt ?? interaction.user_message) + perMessage;
    const input = history;
    const [reference] = referenceReplies(interaction);
    const guess = reply ?? (reference ? estimateTokens(reference) : usualReply);
    const output = Math.min(guess, settings.parameters?.max_tokens ?? Number.POSITIVE_INFINITY);
    history += output + perMessage;
    return { input, output };
  });
}
