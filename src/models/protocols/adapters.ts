import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { ProtocolOf } from "../../contract/protocols/protocols.ts";
import type { AdapterOptions, ChatProtocol } from "../adapters/http-chat-model.ts";
import type { TargetOptions } from "../targets/target-chat.ts";

type Loaded<Adapter> = () => Promise<Adapter>;

/** The adapters of the protocols in `contract/protocols/protocols.ts`; a missing one does not compile. Each is loaded by its first call. */
export const chatProtocols: Readonly<Record<ProtocolOf<"model">, Loaded<ChatProtocol>>> = {
  "openai-chat": async () => (await import("../adapters/openai-chat/openai-chat.ts")).openaiChat,
  "openai-responses": async () => (await import("../adapters/openai-responses/openai-responses.ts")).openaiResponses,
  "anthropic-messages": async () => (await import("../adapters/anthropic/anthropic-messages.ts")).anthropicMessages,
};

export const backendProtocols: Readonly<Record<ProtocolOf<"backend">, Loaded<(options: AdapterOptions) => ChatModel>>> =
  {
    agent: async () => (await import("../adapters/agent.ts")).agentChat,
  };

export const targetProtocols: Readonly<
  Record<ProtocolOf<"agent" | "template">, Loaded<(options: TargetOptions) => ChatModel>>
> = {
  http: async () => (await import("../targets/http-target.ts")).httpTarget,
  "ag-ui": async () => (await import("../targets/ag-ui.ts")).agUiTarget,
  a2a: async () => (await import("../targets/a2a.ts")).a2aTarget,
  "ui-messages": async () => (await import("../targets/ui-messages.ts")).uiMessagesTarget,
  langgraph: async () => (await import("../targets/langgraph.ts")).langgraphTarget,
};
