import type { z } from "zod";
import type { AgentReply, AgentRequest } from "../contract/schemas/agent-message.ts";
import type { AgentRunDetails, AgentRunList } from "../contract/schemas/agent-run.ts";
import type { OpenAiModel, OpenAiModelList, StudioModels } from "../contract/schemas/models.ts";
import { createCaller, parseJsonResponse, type ClientOptions } from "./caller.ts";
import type { CallOptions } from "./evaluation-client.ts";

export type AgentMessages = z.input<typeof AgentRequest>["messages"];

/** The agent backend. Every call rejects with a `ServiceFailure`, a `ServiceUnreachable` or the reason of its signal. */
export interface AgentClient {
  /** Sends a conversation and returns the agent's last message. */
  send(
    messages: AgentMessages,
    options: CallOptions & {
      readonly modelId: string;
      /** The address of a test world whose tools replace those of the agent. */
      readonly worldUrl?: string | undefined;
    },
  ): Promise<AgentReply>;
  /** Known values of `modelId`. A hub may serve more. */
  models(options?: CallOptions): Promise<readonly OpenAiModel[]>;
  /** One page of runs, newest first. */
  runs(query?: CallOptions & { readonly cursor?: string | undefined; readonly limit?: number }): Promise<AgentRunList>;
  /** One run with its log. */
  run(id: string, options?: CallOptions): Promise<AgentRunDetails>;
  /** Fine-tuned models, name to UUID. */
  studioModels(options?: CallOptions): Promise<StudioModels>;
}

/**
 * A typed client of the agent backend.
 *
 * @example
 * const agent = createAgentClient({ url: "http://127.0.0.1:8000" });
 * const reply = await agent.send([{ type: "human", content: "Hello" }], { modelId: "demo/retrieval" });
 */
export function createAgentClient(options: ClientOptions): AgentClient {
  const call = createCaller(options);
  return {
    send: (messages, { modelId, worldUrl, signal }) => {
      const headers = { "x-model-id": modelId, ...(worldUrl !== undefined && { "rehearsal-world": worldUrl }) };
      return parseJsonResponse(call("/", { body: { messages }, headers, signal }));
    },
    async models({ signal } = {}) {
      const { data } = await parseJsonResponse<OpenAiModelList>(call("/v1/models", { signal }));
      return data;
    },
    runs: ({ cursor, limit, signal } = {}) =>
      parseJsonResponse(call("/agent/runs", { query: { cursor, limit }, signal })),
    run: (id, { signal } = {}) => parseJsonResponse(call(`/agent/runs/${encodeURIComponent(id)}`, { signal })),
    studioModels: ({ signal } = {}) => parseJsonResponse(call("/studio/models", { signal })),
  };
}
