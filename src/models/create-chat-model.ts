import type { Protocol } from "../contract/schemas/evaluation-request.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { AdapterOptions } from "./adapters/adapter-options.ts";
import { agentChat } from "./adapters/agent.ts";
import { anthropicMessages } from "./adapters/anthropic-messages.ts";
import { openaiChat } from "./adapters/openai-chat.ts";
import { openaiResponses } from "./adapters/openai-responses.ts";

const adapters = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
  agent: agentChat,
} as const satisfies Record<Protocol, (options: AdapterOptions) => ChatModel>;

/** A model at an endpoint, spoken to in the given protocol. Nothing is called, and nothing fails, until the model is. */
export function createChatModel({ protocol, ...options }: AdapterOptions & { readonly protocol: Protocol }): ChatModel {
  return adapters[protocol](options);
}
