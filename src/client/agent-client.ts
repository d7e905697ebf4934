import type { z } from "zod";
import type { AgentReply, AgentRequest } from "../contract/schemas/agent/agent-message.ts";
import type { AgentRunDetails, AgentRunList, AgentRunSummary } from "../contract/schemas/agent/agent-run.ts";
import type { OpenAiModel, StudioModels } from "../contract/schemas/agent/models.ts";
import { createCaller, parseJsonResponse, type ClientOptions } from "./caller.ts";
import type { CallOptions } from "./evaluation-client.ts";

export type AgentMessages = z.input<typeof AgentRequest>["messages"];

interface AskAgentOptions extends CallOptions {
  readonly modelId: string;
  /** The conversation is stored under this id, and only its new messages are sent. */
  readonly threadId?: string | undefined;
  /** Calls with the same key and messages are one turn, with one reply. */
  readonly idempotencyKey?: string | undefined;
  /** The address of a test world whose tools replace those of the agent. */
  readonly worldUrl?: string | undefined;
}

/** The agent backend. Every call rejects with a `ServiceFailure`, a `ServiceUnreachable` or the reason of its signal. */
export interface AgentClient {
  /** Sends a conversation and returns the agent's last message. */
  send(messages: AgentMessages, options: AskAgentOptions): Promise<AgentReply>;
  /** Starts a run and returns as soon as it is stored. `run` reads it; its `message` is the reply. */
  start(messages: AgentMessages, options: AskAgentOptions): Promise<AgentRunSummary>;
  /** Known values of `modelId`. A hub may serve more. */
  models(options?: CallOptions): Promise<readonly OpenAiModel[]>;
  /** One page of runs, newest first. */
  runs(query?: CallOptions & { readonly cursor?: string | undefined; readonly limit?: number }): Promise<AgentRunList>;
  /** One run with its log. */
  run(id: string, options?: CallOptions): Promise<AgentRunDetails>;
  /** Cancels a run that has not ended. */
  cancel(id: string, options?: CallOptions): Promise<AgentRunSummary>;
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
  const { send, ask } = createCaller(options);
  const of = (runId: string, signal: AbortSignal | undefined) => ({ parameters: { run_id: runId }, signal });

  return {
    send: (messages, { signal, ...turn }) =>
      ask("runAgentTurn", { body: { messages }, headers: turnHeaders(turn), signal }),
    async start(messages, { signal, ...turn }) {
      const headers = { ...turnHeaders(turn), prefer: "respond-async" };
      const answer = await send("runAgentTurn", { body: { messages }, headers, signal });
      if (answer.status === 202) return parseJsonResponse(answer);
      // The key's run has ended.
      await answer.body?.cancel();
      return ask("getAgentRun", of(answer.headers.get("x-run-id") ?? "", signal));
    },
    models: async ({ signal } = {}) => (await ask("listModels", { signal })).data,
    runs: ({ cursor, limit, signal } = {}) => ask("listAgentRuns", { query: { cursor, limit }, signal }),
    run: (id, { signal } = {}) => ask("getAgentRun", of(id, signal)),
    cancel: (id, { signal } = {}) => ask("cancelAgentRun", of(id, signal)),
    studioModels: ({ signal } = {}) => ask("listStudioModels", { signal }),
  };
}

function turnHeaders({
  modelId,
  threadId,
  idempotencyKey,
  worldUrl,
}: Omit<AskAgentOptions, "signal">): Readonly<Record<string, string | undefined>> {
  return {
    "x-model-id": modelId,
    "x-thread-id": threadId,
    "idempotency-key": idempotencyKey,
    "rehearsal-world": worldUrl,
  };
}
