import type { SuccessfulReply } from "../../contract/ports/chat-model.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { createModelMemory } from "./model-memory.ts";

const remembered = createModelMemory<true>();

/** Whether the target has been seen to think before it replies. Others refuse to be asked for what they thought. */
export function isKnownToThink(outbound: Outbound, target: string): boolean {
  return remembered.get(outbound, target) ?? false;
}

export function rememberThinking(outbound: Outbound, target: string, { usage }: SuccessfulReply): void {
  if (Number(usage?.completion_tokens_details?.["reasoning_tokens"]) > 0) remembered.set(outbound, target, true);
}
