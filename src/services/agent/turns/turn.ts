import type {
  AgentEvent,
  AgentListener,
  AgentOutcome,
  AgentTotals,
  PostponedTurn,
} from "../../../agent/loop/agent-outcome.ts";
import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import type { AnswerKey, StoredMessage } from "../../../contract/ports/agent-memory.ts";
import type { ChatMessage, ChatModel, ModelParameters, ToolDefinition } from "../../../contract/ports/chat-model.ts";
import type { AgentWire } from "../../../contract/schemas/agent/agent-run.ts";
import type { PassedOver } from "../../../models/routing/with-fallbacks.ts";
import type { RequestMemory } from "../../http/environment/shell-environment.ts";

/** A request to the agent, independent of the wire format it arrived in. */
export interface TurnRequest {
  readonly wire: AgentWire;
  readonly modelId: string | null | undefined;
  /** Models to try, in this order, when the provider of the first one fails. */
  readonly fallbacks: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** The wire hands calls to client tools and cannot carry the agent's own steps before them: see `EarlierSteps`. */
  readonly hidesSteps?: boolean | undefined;
  /** A reply that follows `messages`, whose client tool calls the client has answered. */
  readonly postponed?: PostponedTurn | undefined;
  readonly tools: readonly Tool[];
  readonly clientTools?: readonly ToolDefinition[] | undefined;
  readonly parameters?: ModelParameters | undefined;
  /** Wraps the model, for example to force the first tool call. */
  readonly adapt?: ((model: ChatModel) => ChatModel) | undefined;
  /** Asks for `text-delta` events. */
  readonly stream: boolean;
  readonly owner: string | null;
  readonly requestId: string;
  /** W3C trace headers of the request. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** The thread of the turn, with the messages the turn adds to it. */
  readonly thread: { readonly id: string; readonly messages: readonly StoredMessage[] } | null;
  /** The Idempotency-Key claimed for the turn. */
  readonly answerKey?: AnswerKey | undefined;
  /** The response of this turn, which its client can read or continue by its id. `request` is plain JSON. */
  readonly response?: { readonly previous: string | null; readonly request: unknown } | undefined;
  /** The address of a test world. Its tools replace those of the agent. */
  readonly world?: string | undefined;
  /** No client waits for the turn (`Prefer: respond-async`). */
  readonly isAsync?: boolean | undefined;
  /** Records the outcome and returns the version the client sees. */
  readonly keep?: ((outcome: AgentOutcome, runId: string) => Promise<AgentOutcome>) | undefined;
  /** Memory budget of the request that started the turn. The turn may outlive the request. */
  readonly memory?: Pick<RequestMemory, "admitReply" | "keepDuring"> | undefined;
}

/** A run of the agent. Any number of clients can follow it, on any wire. */
export interface Turn {
  readonly runId: string;
  readonly stream: boolean;
  /** The model that answers; changes when a fallback takes over. */
  readonly resolved: string;
  /** Rejects when the run was cancelled or crashed. A failure of the model is an outcome. */
  readonly outcome: Promise<AgentOutcome>;
  /** Replays past events, then passes on new ones, until the returned function is called. */
  listen(listener: AgentListener): () => void;
  /**
   * Adds a client. The run is cancelled when the signals of all clients have aborted, unless it goes on without a client: one that
   * was started so, or that began in another process.
   */
  watch(client: AbortSignal): void;
  /** Ends the run as cancelled. */
  cancel(): void;
}

/** The facts about a turn that are known when it starts. */
export interface AgentTurnFacts extends Omit<
  TurnRequest,
  "adapt" | "postponed" | "fallbacks" | "answerKey" | "keep" | "world"
> {
  readonly runId: string;
  readonly modelId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly resolved: () => string;
  readonly provider: () => string;
  /** Set when the turn resumes a run that waited for approval. */
  readonly decisions: Readonly<Record<string, ApprovalDecision>> | null;
  /** The totals of that run before it waited. */
  readonly earlier: AgentTotals | null;
  /** True when the run began in another process. */
  readonly recovered: boolean;
}

export type TurnEnd =
  | { readonly kind: "outcome"; readonly outcome: AgentOutcome }
  | { readonly kind: "cancelled" }
  /** The run has not ended, and another process or a later try finishes it. */
  | { readonly kind: "interrupted" }
  /** `resumable`: the store failed, and the same decisions can be sent again. */
  | { readonly kind: "crashed"; readonly error: unknown; readonly resumable?: boolean };

/** Receives the events of one turn, except text and reasoning deltas. Must not throw. */
export interface TurnWatcher {
  onEvent(event: AgentEvent): void;
  /** The end of a stored run, before it is stored: what is recorded now is not lost when the process dies. */
  onEnding?(end: TurnEnd): Promise<void>;
  /** A model failed and a fallback took over, so one model call of the run was several calls to providers. */
  onPassedOver?(passedOver: PassedOver): void;
  onEnd(end: TurnEnd): void;
}

/** Called for every turn: the run log, the metrics and the traces. */
export type TurnObserver = (facts: AgentTurnFacts) => TurnWatcher;
