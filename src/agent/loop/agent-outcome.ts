import type {
  OpaqueMetadata,
  ChatMessage,
  Reply,
  ReplyError,
  SuccessfulReply,
  ToolCall,
} from "../../contract/ports/chat-model.ts";
import type { Usage } from "../../contract/schemas/shared/usage.ts";
import type { ToolArguments } from "../tools/tool.ts";

/** A model failure is an outcome too. */
export type AgentOutcome = SuccessfulOutcome | FailedOutcome;

export interface SuccessfulOutcome extends AgentTotals {
  readonly ok: true;
  /** The last message. Its text is the model's own, unless a limit was reached and no last answer came. */
  readonly reply: SuccessfulReply;
  /** The model's own reason, `tool_calls` when calls are pending, or the limit that ended the run. */
  readonly finish_reason: string;
  readonly pending_tool_calls: readonly PendingToolCall[];
  /** Present when the client is to carry out its tools. */
  readonly handed_out?: HandedOut;
  /** Present when a pending call waits for approval: the input of `resumeAgent`. Keep it on the server. */
  readonly pending_run?: PendingRun;
}

interface FailedOutcome extends AgentTotals {
  readonly ok: false;
  readonly error: ReplyError;
}

/** The work and consumption of a run, however it ended. */
export interface AgentTotals {
  /** Over all model calls, as the endpoint counted them. */
  readonly usage: Usage;
  /** Set when the endpoint of a call reported no token counts: the total is then unknown, and wires omit the usage where they can. */
  readonly uncounted?: boolean;
  /** null when the price of a model that was called is not known, or its endpoint did not count the tokens. */
  readonly cost: number | null;
  /** Model calls that were allowed to use tools. */
  readonly steps: number;
  readonly model_calls: number;
  readonly tool_calls: readonly ToolRun[];
  readonly invalid_tool_calls: readonly InvalidToolCall[];
  /** How often the model was given another try at a tool call. */
  readonly repairs: number;
  readonly duration_ms: number;
}

/** A tool call as the model asked for it. */
export interface AskedToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: ToolArguments;
}

/** A tool call that was carried out. `result` is the tool's text, cut to the size limit, or the reason of its failure. */
export interface ToolRun extends AskedToolCall {
  readonly ok: boolean;
  readonly result: string;
  readonly duration_ms: number;
}

/** A tool call that the client must carry out, or that needs approval. */
export interface PendingToolCall extends AskedToolCall {
  /** JSON of `args` as the model wrote it: a parsed number may have lost its last digits. */
  readonly arguments: string;
  readonly echo?: OpaqueMetadata;
}

/** A tool call that could not be carried out as the model wrote it. */
export interface InvalidToolCall {
  readonly id: string;
  readonly name: string;
  /** The beginning of the arguments the model wrote. */
  readonly args: string;
  readonly error: string;
  /** The number of the model call that made it, counted from 1. */
  readonly model_call: number;
}

/**
 * A run that waits for approval, as plain JSON. It stays on the server: a client gets only the run's id and the pending calls, and
 * sends back decisions about ids, never calls.
 */
export interface PendingRun {
  readonly history: readonly ChatMessage[];
  /** The reply whose calls are pending. */
  readonly reply: SuccessfulReply;
  readonly calls: readonly PendingCall[];
  readonly totals: AgentTotals;
  readonly tokens: number;
  /** Counts toward the budget: the known or estimated cost so far. Absent in runs stored before the field existed. */
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
   * `free` needs no decision and runs with the rest; `unusable` is handed back to the model; `answered` is a client's call with its
   * `result`. `client` is a client's call without a result, only in runs stored before the client was asked first.
   */
  readonly state: "approval" | "client" | "answered" | "free" | "unusable";
  readonly echo?: OpaqueMetadata;
  readonly sent?: string;
  readonly error?: string;
  readonly result?: string;
}

/** The part of a handed-out turn that the client does not see. */
interface HandedOut {
  /** The conversation up to the reply with the calls. */
  readonly history: readonly ChatMessage[];
  /** All calls of that reply, ours included. */
  readonly calls: readonly ToolCall[];
  /** The results of our calls. */
  readonly results: readonly ChatMessage[];
  /** That reply, if calls of ours need approval. None of ours has run yet; they continue when the client has answered. */
  readonly postponed?: SuccessfulReply;
}

/** A reply of an earlier run whose client has answered, while calls of ours still need a decision. */
export interface PostponedTurn {
  readonly reply: SuccessfulReply;
  /** Results of the client's calls. */
  readonly results: readonly Extract<ChatMessage, { role: "tool" }>[];
}

/** Events of a run, in order. `call` counts model calls from 1. An aborted run ends without `run-end`. */
export type AgentEvent =
  | { readonly type: "run-start" }
  | { readonly type: "model-start"; readonly call: number }
  | { readonly type: "text-delta"; readonly call: number; readonly text: string }
  /** The model's reasoning, which is not part of its reply. */
  | { readonly type: "reasoning-delta"; readonly call: number; readonly text: string }
  /** `reply` is null when the deadline cut the call off. */
  | { readonly type: "model-end"; readonly call: number; readonly reply: Reply | null }
  | { readonly type: "tool-start"; readonly tool_call: AskedToolCall; readonly echo?: OpaqueMetadata }
  | { readonly type: "tool-end"; readonly tool_call: ToolRun }
  /** A call that was not carried out: unusable, not approved, or beyond a limit. `result` gives the reason. */
  | { readonly type: "tool-skipped"; readonly tool_call: ToolRun; readonly echo?: OpaqueMetadata }
  | { readonly type: "run-end"; readonly outcome: AgentOutcome };

/** Must not throw: an exception ends the run. */
export type AgentListener = (event: AgentEvent) => void;

/** A reply that did not come from a model call of this run. */
export function syntheticReply(
  known: Pick<SuccessfulReply, "text" | "tool_calls" | "finish_reason" | "model" | "completion_id">,
): SuccessfulReply {
  return {
    ok: true,
    refusal: null,
    usage: null,
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: null,
    latency_ms: 0,
    first_token_ms: null,
    tries: 0,
    ...known,
  };
}
