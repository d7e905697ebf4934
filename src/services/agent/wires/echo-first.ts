import type { LooseToolCall } from "../../../agent/pair-tool-messages.ts";

/** What belongs to the message goes with its first call, and the chat need not have the model's first call first. */
export function echoFirst(calls: readonly LooseToolCall[]): readonly LooseToolCall[] {
  const message = calls.find(({ echo }) => echo?.message)?.echo?.message;
  const [first, ...rest] = calls;
  return first && message ? [{ ...first, echo: { ...first.echo, message } }, ...rest] : calls;
}
