import type { z } from "zod";
import type { AgentReply, AgentRequest } from "../contract/schemas/agent-message.ts";
import type { OpenAiModel, OpenAiModelList, StudioModels } from "../contract/schemas/models.ts";
import type { ClientOptions } from "./client-options.ts";
import { createCaller, readJson } from "./create-caller.ts";
import type { CallOptions } from "./create-evaluation-client.ts";

export type AgentMessages = z.input<typeof AgentRequest>["messages"];

/** The agent backend. Every call rejects with a `ServiceFailure`, a `ServiceUnreachable` or the reason of its signal. */
export interface AgentClient {
  /** Sends a conversation, gives the agent's last message. */
  send(messages: AgentMessages, options: CallOptions & { readonly modelId: string }): Promise<AgentReply>;
  /** What `modelId` can be set to. A hub may serve more. */
  models(options?: CallOptions): Promise<readonly OpenAiModel[]>;
  /** Fine-tuned models, name to UUID. */
  studioModels(options?: CallOptions): Promise<StudioModels>;
}

/** A typed client of the agent backend. */
export function createAgentClient(options: ClientOptions): AgentClient {
  const call = createCaller(options);
  return {
    send: (messages, { modelId, signal }) =>
      readJson(call("/", { body: { messages }, headers: { "x-model-id": modelId }, signal })),
    async models({ signal } = {}) {
      const { data } = await readJson<OpenAiModelList>(call("/v1/models", { signal }));
      return data;
    },
    studioModels: ({ signal } = {}) => readJson(call("/studio/models", { signal })),
  };
}
