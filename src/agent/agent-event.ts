import type { CallEcho, Reply } from "../contract/ports/chat-model.ts";
import type { AgentOutcome, AskedToolCall, ToolRun } from "./agent-outcome.ts";

/** What happens in a run, as it happens. `call` counts model calls from 1. A run that is aborted ends without `run-end`. */
export type AgentEvent =
  | { readonly type: "run-start" }
  | { readonly type: "model-start"; readonly call: number }
  | { readonly type: "text-delta"; readonly call: number; readonly text: string }
  /** What the model thinks: no part of its reply. */
  | { readonly type: "reasoning-delta"; readonly call: number; readonly text: string }
  /** `reply` is null when the deadline cut the call off. */
  | { readonly type: "model-end"; readonly call: number; readonly reply: Reply | null }
  | { readonly type: "tool-start"; readonly tool_call: AskedToolCall; readonly echo?: CallEcho }
  | { readonly type: "tool-end"; readonly tool_call: ToolRun }
  /** A call that was not carried out: unusable, not approved, or beyond a limit. `result` says why. */
  | { readonly type: "tool-skipped"; readonly tool_call: ToolRun; readonly echo?: CallEcho }
  | { readonly type: "run-end"; readonly outcome: AgentOutcome };

/** Must not throw: what it throws ends the run. */
export type AgentListener = (event: AgentEvent) => void;
