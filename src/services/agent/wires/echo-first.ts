import type { LooseToolCall } from "../../../agent/messages/history.ts";

/**
 * The calls of one reply as its model may see them again. What belongs to the message goes with its first call, and the chat need not
 * have the model's first call first. Gemini signs the first of its calls, and refuses them when another leads.
 */
export function echoFirst(calls: readonly LooseToolCall[]): readonly LooseToolCall[] {
  const message = calls.find(({ echo }) => echo?.message)?.echo?.message;
  const [first, ...rest] = calls.toSorted((one, other) => signs(other) - signs(one));
  if (!first) return calls;
  return [message ? { ...first, echo: { ...first.echo, message } } : first, ...rest];
}

const signs = ({ echo }: LooseToolCall): number => (echo?.call ? 1 : 0);
