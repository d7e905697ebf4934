import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { Protocol } from "../contract/schemas/evaluation-request.ts";
import { agentChat } from "./adapters/agent.ts";
import { anthropicMessagesProtocol, withResumedPauses } from "./adapters/anthropic/anthropic-messages.ts";
import { httpChatModel, type AdapterOptions } from "./adapters/http-chat-model.ts";
import { openaiChatProtocol } from "./adapters/openai-chat/openai-chat.ts";
import { openaiResponsesProtocol } from "./adapters/openai-responses/openai-responses.ts";

/**
 * The layers of one call, outermost first. Below them is the outbound client: endpoint policy, circuit breaker, credential,
 * connection, retries (see `outbound/create-outbound.ts`).
 */
const layers = {
  // `httpChatModel`: quirks of the server, timing and streaming around the protocol's body and reply.
  "openai-chat": (options) => httpChatModel(openaiChatProtocol, options),
  "openai-responses": (options) => httpChatModel(openaiResponsesProtocol, options),
  "anthropic-messages": (options) => withResumedPauses(httpChatModel(anthropicMessagesProtocol, options)),
  agent: agentChat,
} as const satisfies Record<Protocol, (options: AdapterOptions) => ChatModel>;

/** A model at an endpoint in the given protocol. Nothing is called, and nothing fails, until the model is called. */
export function createChatModel({ protocol, ...options }: AdapterOptions & { readonly protocol: Protocol }): ChatModel {
  return layers[protocol](options);
}

/** A model behind an OpenAI-compatible `…/chat/completions`. */
export const openaiChat: (options: AdapterOptions) => ChatModel = layers["openai-chat"];

/** A model behind an OpenAI-compatible `…/responses`. Every request carries the whole conversation; nothing is stored there. */
export const openaiResponses: (options: AdapterOptions) => ChatModel = layers["openai-responses"];

/** A model behind Anthropic's `…/v1/messages` or a compatible server. */
export const anthropicMessages: (options: AdapterOptions) => ChatModel = layers["anthropic-messages"];
