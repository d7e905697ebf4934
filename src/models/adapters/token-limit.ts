import type { ChatRequest, ModelParameters } from "../../contract/ports/chat-model.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";
import { createModelMemory } from "./model-memory.ts";

/** OpenAI's newer name for `max_tokens`: its reasoning models take no other. Other APIs do not know it and refuse it. */
export const newerLimitName = "max_completion_tokens";

/** How many tokens a reply may have, by either name; the newer one counts. */
export function tokenLimit({ max_tokens, extra }: ModelParameters): number | undefined {
  const limit = extra?.[newerLimitName];
  return typeof limit === "number" ? limit : max_tokens;
}

/** Whether a request was refused for the older name: only the refusal speaks of the newer one then. */
export function refusesOlderName({ status, body }: FailedResponse, { parameters = {} }: ChatRequest): boolean {
  if (status !== 400 || parameters.max_tokens === undefined || parameters.extra?.[newerLimitName]) return false;
  return body.slice(0, 4_000).includes(newerLimitName);
}

const remembered = createModelMemory<true>();

/** Whether the target has refused the older name before. */
export function wantsNewerName(outbound: Outbound, target: string): boolean {
  return remembered.get(outbound, target) ?? false;
}

export function rememberNewerName(outbound: Outbound, target: string): void {
  remembered.set(outbound, target, true);
}
