import type { History, Protocol } from "../../contract/schemas/evaluation-request.ts";

// Repeated from the contract, which a test holds them against: loading it would double the time of --help.
export const protocols = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "agent",
] as const satisfies readonly Protocol[];

export const histories = ["generated", "reference", "both"] as const satisfies readonly History[];
