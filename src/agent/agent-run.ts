import { toDollars } from "../base/numbers.ts";
import type {
  ChatMessage,
  ChatModel,
  ModelParameters,
  SuccessfulReply,
  ToolDefinition,
} from "../contract/ports/chat-model.ts";
import { noUsage, type Usage } from "../contract/schemas/usage.ts";
import type { AgentListener } from "./agent-event.ts";
import { defaultLimits, type AgentLimits, type TokenPrice } from "./agent-limits.ts";
import type { AgentTotals, InvalidToolCall, PostponedTurn, ToolRun } from "./agent-outcome.ts";
import type { CallJournal } from "./call-journal.ts";
import { createIdIssuer, type IssueId } from "./tool-call-id.ts";
import type { Tool } from "./tool.ts";
import { createToolbox, type Toolbox } from "./toolbox.ts";

export interface AgentRunOptions {
  readonly model: ChatModel;
  /** Valid history, as `fromAgentMessages` or `pairToolMessages` gives it. */
  readonly messages: readonly ChatMessage[];
  /** A reply that comes after them, of which the client has answered its part. */
  readonly postponed?: PostponedTurn | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** Tools the caller carries out: the model sees them, their calls are handed out. */
  readonly clientTools?: readonly ToolDefinition[] | undefined;
  readonly limits?: Partial<AgentLimits> | undefined;
  /** Asked after each call, where it is a function: another model may have answered. */
  readonly price?: TokenPrice | (() => TokenPrice | undefined) | undefined;
  readonly parameters?: ModelParameters | undefined;
  /** Remembers what its tool calls came to. Default: nothing does. */
  readonly journal?: CallJournal | undefined;
  readonly signal: AbortSignal;
  readonly onEvent?: AgentListener | undefined;
  /** Asks for `text-delta` events. */
  readonly stream?: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** One run while it lasts: what it was given, and what it has done and used so far. */
export interface AgentRun {
  readonly model: ChatModel;
  readonly parameters: ModelParameters | undefined;
  readonly toolbox: Toolbox;
  readonly journal: CallJournal | undefined;
  readonly limits: AgentLimits;
  readonly price: () => TokenPrice | undefined;
  /** The caller's. Only this one makes a run reject. */
  readonly signal: AbortSignal;
  readonly emit: AgentListener;
  readonly stream: boolean;
  readonly now: () => number;
  readonly startedAt: number;
  readonly issueId: IssueId;
  readonly toolRuns: ToolRun[];
  readonly invalidCalls: InvalidToolCall[];
  readonly repairsByName: Map<string, number>;
  /** Replaced, never changed: a model may keep what it was given. */
  history: readonly ChatMessage[];
  lastReply: SuccessfulReply | null;
  usage: Usage;
  /** A call was made whose endpoint did not count its tokens: `usage` is without them. */
  uncounted: boolean;
  /** Counted or estimated, for the budget. */
  tokens: number;
  /** For the budget too, from the tokens above. */
  cost: number;
  /** A call was made whose price, or whose tokens, are not known: then nor is what the run costs. */
  unpriced: boolean;
  steps: number;
  modelCalls: number;
  repairs: number;
}

export function createAgentRun({
  model,
  messages,
  tools = [],
  clientTools = [],
  limits = {},
  price,
  parameters,
  journal,
  signal,
  onEvent = () => {},
  stream = false,
  now = Date.now,
}: AgentRunOptions): AgentRun {
  return {
    model,
    parameters,
    toolbox: createToolbox({ tools, clientTools }),
    journal,
    limits: { ...defaultLimits, ...limits },
    price: typeof price === "function" ? price : () => price,
    signal,
    emit: onEvent,
    stream,
    now,
    startedAt: now(),
    issueId: createHistoryIdIssuer(messages),
    toolRuns: [],
    invalidCalls: [],
    repairsByName: new Map(),
    history: messages,
    lastReply: null,
    usage: noUsage,
    uncounted: false,
    tokens: 0,
    cost: 0,
    unpriced: false,
    steps: 0,
    modelCalls: 0,
    repairs: 0,
  };
}

/** Ids of new calls must differ from those in the history too. */
function createHistoryIdIssuer(messages: readonly ChatMessage[]): IssueId {
  const issueId = createIdIssuer({ prefix: "call", taken: [] });
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) issueId(call.id);
  }
  return issueId;
}

export function toTotals(run: AgentRun): AgentTotals {
  return {
    usage: run.usage,
    ...(run.uncounted && { uncounted: true }),
    cost: run.unpriced || !run.price() ? null : toDollars(run.cost),
    steps: run.steps,
    model_calls: run.modelCalls,
    tool_calls: run.toolRuns,
    invalid_tool_calls: run.invalidCalls,
    repairs: run.repairs,
    duration_ms: run.now() - run.startedAt,
  };
}
