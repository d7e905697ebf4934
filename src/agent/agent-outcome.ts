import type { ReplyError, SuccessfulReply } from "../contract/model.ts";
import type { Usage } from "../contract/usage.ts";
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

/** A tool call that somebody else must carry out or approve. */
export interface PendingToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: ToolArguments;
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
  /** null when no price was handed in. */
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

export interface SuccessfulOutcome extends AgentTotals {
  readonly ok: true;
  /** The last message. Its text is ours only where a limit was reached and no last answer came. */
  readonly reply: SuccessfulReply;
  /** The model's own reason, `tool_calls` when calls are pending, or the limit that ended the run. */
  readonly finish_reason: string;
  readonly pending_tool_calls: readonly PendingToolCall[];
}

export interface FailedOutcome extends AgentTotals {
  readonly ok: false;
  readonly error: ReplyError;
}

/** How a run ended. A model that failed is an outcome too. */
export type AgentOutcome = SuccessfulOutcome | FailedOutcome;
