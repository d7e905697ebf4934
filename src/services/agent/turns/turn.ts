import type { AgentEvent, AgentListener } from "../../../agent/loop/agent-outcome.ts";
import type { AgentOutcome, AgentTotals, PostponedTurn } from "../../../agent/loop/agent-outcome.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import type { AnswerKey } from "../../../contract/ports/agent-memory.ts";
import type { AgentMessage } from "../../../contract/schemas/agent-message.ts";
import type { AgentWire } from "../../../contract/schemas/agent-run.ts";
import type { ChatMessage, ChatModel, ModelParameters, ToolDefinition } from "../../../contract/ports/chat-model.ts";
import type { PassedOver } from "../../../models/routing/with-fallbacks.ts";
import type { RequestMemory } from "../../http/request-memory.ts";

/** What a wire asks the agent for, once it has read its own format. */
export interface TurnRequest {
  readonly wire: AgentWire;
  readonly modelId: string | null | undefined;
  /** Models to try, in this order, when the first one's provider fails. */
  readonly fallbacks: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** What comes after them: a reply whose client has answered its part. */
  readonly postponed?: PostponedTurn | undefined;
  readonly tools: readonly Tool[];
  readonly clientTools?: readonly ToolDefinition[] | undefined;
  readonly parameters?: ModelParameters | undefined;
  /** Changes each call to the model, for what a wire may ask of it. */
  readonly adapt?: ((model: ChatModel) => ChatModel) | undefined;
  /** Asks for `text-delta` events. */
  readonly stream: boolean;
  readonly owner: string | null;
  readonly requestId: string;
  /** W3C trace headers of the request. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** The thread the turn belongs to, and what it adds to it. */
  readonly thread: { readonly id: string; readonly messages: readonly AgentMessage[] } | null;
  /** It goes on with a run that waited. */
  readonly resumed?: boolean | undefined;
  /** The Idempotency-Key that was claimed for the turn. */
  readonly answerKey?: AnswerKey | undefined;
  /** Takes note of the outcome, and gives what the client is told of it. */
  readonly keep?: ((outcome: AgentOutcome, runId: string) => Promise<AgentOutcome>) | undefined;
  /** Memory of the request that began the turn. The turn may go on when its client has gone. */
  readonly memory?: Pick<RequestMemory, "admitReply" | "keepDuring"> | undefined;
}

/** A run of the agent that any number of clients may follow, on any wire. */
export interface Turn {
  readonly runId: string;
  readonly stream: boolean;
  /** The model that answers: another one once a fallback has taken over. */
  readonly resolved: string;
  /** Rejects when the run was cancelled. A model that failed is an outcome. */
  readonly outcome: Promise<AgentOutcome>;
  /** Tells what has happened so far, then what happens, until the function it returns is called. */
  listen(listener: AgentListener): () => void;
  /** One more client waits for it. The run is cancelled when the last one has gone; one whose signal never aborts stays. */
  watch(client: AbortSignal): void;
}

/** What is known of a turn from its beginning. */
export interface TurnFacts extends Omit<
  TurnRequest,
  "adapt" | "postponed" | "fallbacks" | "resumed" | "answerKey" | "keep"
> {
  readonly runId: string;
  readonly modelId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly resolved: () => string;
  readonly provider: () => string;
  /** There when the turn goes on with a run that waited for approval. */
  readonly decisions: Readonly<Record<string, ApprovalDecision>> | null;
  /** What that run had done before it waited. */
  readonly earlier: AgentTotals | null;
}

export type TurnEnd =
  | { readonly kind: "outcome"; readonly outcome: AgentOutcome }
  | { readonly kind: "cancelled" }
  /** The process stops; the run has not ended, and another process can go on with it. */
  | { readonly kind: "left" }
  /** `waits`: the store took nothing of a run that goes on after a decision, and it can be decided about again. */
  | { readonly kind: "crashed"; readonly error: unknown; readonly waits?: boolean };

/** Follows one turn, all but its words. Must not throw. */
export interface TurnWatcher {
  onEvent(event: AgentEvent): void;
  /** A model failed and a fallback took over: what ends as one call was more of them. */
  onPassedOver?(passedOver: PassedOver): void;
  onEnd(end: TurnEnd): void;
}

/** Follows every turn: the run log, the metrics, the traces. */
export type TurnObserver = (facts: TurnFacts) => TurnWatcher;
