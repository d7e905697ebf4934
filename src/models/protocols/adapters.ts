import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { ProtocolOf } from "../../contract/protocols/protocols.ts";
import { agentChat } from "../adapters/agent.ts";
import { anthropicMessages } from "../adapters/anthropic/anthropic-messages.ts";
import type { AdapterOptions, ChatProtocol } from "../adapters/http-chat-model.ts";
import { openaiChat } from "../adapters/openai-chat/openai-chat.ts";
import { openaiResponses } from "../adapters/openai-responses/openai-responses.ts";
import { a2aTarget } from "../targets/a2a.ts";
import { agUiTarget } from "../targets/ag-ui.ts";
import { httpTarget } from "../targets/http-target.ts";
import type { TargetOptions } from "../targets/target-chat.ts";

/** The adapters of the protocols in `contract/protocols/protocols.ts`; a missing one does not compile. */
export const chatProtocols: Readonly<Record<ProtocolOf<"model">, ChatProtocol>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
};

export const backendProtocols: Readonly<Record<ProtocolOf<"backend">, (options: AdapterOptions) => ChatModel>> = {
  agent: agentChat,
};

export const targetProtocols: Readonly<
  Record<ProtocolOf<"agent" | "template">, (options: TargetOptions) => ChatModel>
> = {
  http: httpTarget,
  "ag-ui": agUiTarget,
  a2a: a2aTarget,
};
