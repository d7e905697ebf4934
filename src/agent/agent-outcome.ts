import type { CallEcho, ChatMessage, ReplyError, SuccessfulReply, ToolCall } from "../contract/ports/chat-model.ts";
import type { Usage } from "../contract/schemas/usage.ts";
import type { ToolArguments } from "./tool.ts";

/** A tool call that was carried out. `result` is what the tool gave, cut to the size limit, or why it failed. */
export interface ToolRun {
  readonly id: string;
  readonly name: string;
  readonly args: ToolArguments;
  readonly ok: boolean;
  readonly result: string;
  readonly duration_ms: number;
}

/** A tool call as it was asked for. */
export interface AskedToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: ToolArguments;
}

/** A tool call that somebody else must carry out or approve. */
export interface PendingToolCall extends AskedToolCall {
  /** JSON of `args` as the model wrote it: a parsed number may have lost its last digits. */
  readonly arguments: string;
  readonly echo?: CallEcho;
}

/** A tool call that could not be carried out as the model wrote it. */
export interface InvalidToolCall {
  readonly id: string;
  readonly name: string;
  /** The beginning of what the model wrote. */
  readonly args: string;
  readonly error: string;
  /** Which model call of the run it came from, counted from 1. */
  readonly model_call: number;
}

/** What a run did and used, however it ended. */
export interface AgentTotals {
  /** Over all model calls, as the endpoint counted them. */
  readonly usage: Usage;
  /** There when the endpoint of a call did not: then nobody knows what the run used, and wires that can leave the usage out do. */
  readonly uncounted?: boolean;
  /** null when the price of a model that was called is not known, or its endpoint did not count the tokens. */
  readonly cost: number | null;
  /** Model calls that were allowed to use tools. */
  readonly steps: number;
  readonly model_calls: number;
  readonly tool_calls: readonly ToolRun[];
  readonly invalid_tool_calls: readonly InvalidToolCall[];
  /** Times the model was given another try at a tool call. */
  readonly repairs: number;
  readonly duration_ms: number;
}

/**
 * A run that waits for approval: plain JSON, to be held by the server. A client only ever gets the run's id and the
 * pending calls; what it sends back are decisions about ids, never calls.
 */
export interface PendingRun {
  readonly history: readonly ChatMessage[];
  /** The reply whose calls are pending. */
  readonly reply: SuccessfulReply;
  readonly calls: readonly PendingCall[];
  readonly totals: AgentTotals;
  readonly tokens: number;
  /** For the budget: what the calls cost whose price was known, estimated where need be. Runs that waited before it was kept have none. */
  readonly cost?: number;
  readonly repairs_by_name: readonly (readonly [string, number])[];
}

/** One call of the turn that waits. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  /** JSON of an object. */
  readonly arguments: string;
  /**
   * `free` needs no decision and runs with the rest; an `unusable` one is handed back to the model; an `answered` one is the client's
   * and has its `result`. `client`: without one, in runs that waited before the client was asked first.
   */
  readonly state: "approval" | "client" | "answered" | "free" | "unusable";
  readonly echo?: CallEcho;
  readonly sent?: string;
  readonly error?: string;
  readonly result?: string;
}

/** What the client is not told when it is asked to use its tools. */
interface HandedOut {
  /** The conversation up to the reply that asks for them. */
  readonly history: readonly ChatMessage[];
  /** All calls of that reply, ours among them. */
  readonly calls: readonly ToolCall[];
  /** What came of ours. */
  readonly results: readonly ChatMessage[];
  /** That reply, where calls of ours need approval: none of ours was run. They are taken up when the client has answered. */
  readonly postponed?: SuccessfulReply;
}

/** A reply of an earlier run whose client has answered, while calls of ours are still to be decided about. */
export interface PostponedTurn {
  readonly reply: SuccessfulReply;
  /** Of the client's calls. */
  readonly results: readonly Extract<ChatMessage, { role: "tool" }>[];
}

export interface SuccessfulOutcome extends AgentTotals {
  readonly ok: true;
  /** The last message. Its text is ours only where a limit was reached and no last answer came. */
  readonly reply: SuccessfulReply;
  /** The model's own reason, `tool_calls` when calls are pending, or the limit that ended the run. */
  readonly finish_reason: string;
  readonly pending_tool_calls: readonly PendingToolCall[];
  /** There when the client's tools are to be used. */
  readonly handed_out?: HandedOut;
  /** There when a pending call waits for approval: what `resumeAgent` needs. Keep it on the server. */
  readonly pending_run?: PendingRun;
}

interface FailedOutcome extends AgentTotals {
  readonly ok: false;
  readonly error: ReplyError;
}

/** How a run ended. A model that failed is an outcome too. */
export type AgentOutcome = SuccessfulOutcome | FailedOutcome;
