import type { PendingRun } from "../../../agent/loop/agent-outcome.ts";
import type { AgentWire } from "../../../contract/schemas/agent-run.ts";
import type { ModelParameters, ToolDefinition } from "../../../contract/ports/chat-model.ts";
import type { TurnRequest } from "./turn.ts";

/** A run that waits for approval, with what its request asked for: plain JSON. */
export interface WaitingState {
  readonly pending: PendingRun;
  readonly wire: AgentWire;
  readonly model_id: string;
  readonly fallbacks: readonly string[];
  /** Names of our tools the request may use. */
  readonly tools: readonly string[];
  readonly client_tools: readonly ToolDefinition[];
  readonly parameters: ModelParameters | null;
  readonly thread: TurnRequest["thread"];
}

export function toWaitingState(request: TurnRequest, pending: PendingRun): WaitingState {
  return {
    pending,
    wire: request.wire,
    model_id: request.modelId ?? "",
    fallbacks: request.fallbacks,
    tools: request.tools.map((tool) => tool.definition.name),
    client_tools: request.clientTools ?? [],
    parameters: request.parameters ?? null,
    thread: request.thread,
  };
}
