import { compact } from "../../base/compact.ts";
import { Deadline } from "../../base/deadline.ts";
import { reaches, roundDollars } from "../../base/numbers.ts";
import type {
  ChatMessage,
  ChatModel,
  ModelParameters,
  Reply,
  ReplyError,
  SuccessfulReply,
  TokenUsage,
  ToolDefinition,
} from "../../contract/ports/chat-model.ts";
import { addUsage, noUsage, priceUsage, toUsage, type Usage } from "../../contract/schemas/shared/usage.ts";
import { createIdIssuer, type IssueId } from "../messages/tool-call-id.ts";
import { createToolbox, type Toolbox } from "../tools/toolbox.ts";
import type { Tool, ToolArguments } from "../tools/tool.ts";
import { defaultLimits, type AgentLimits, type LimitReason, type TokenPrice } from "../tools/agent-limits.ts";
import type {
  AgentListener,
  AgentOutcome,
  AgentTotals,
  AskedToolCall,
  InvalidToolCall,
  PendingCall,
  PendingRun,
  PostponedTurn,
  ToolRun,
} from "./agent-outcome.ts";
import { toToolCall, type ResolvedCall } from "./resolve-tool-calls.ts";

export interface AgentRunOptions {
  readonly model: ChatModel;
  /** Valid history, as returned by `fromAgentMessages` or `pairToolMessages`. */
  readonly messages: readonly ChatMessage[];
  /** A reply that follows `messages`, with the results of the client's calls in it. */
  readonly postponed?: PostponedTurn | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** Tools the caller carries out: the model sees them, their calls are handed out. */
  readonly clientTools?: readonly ToolDefinition[] | undefined;
  readonly limits?: Partial<AgentLimits> | undefined;
  /** A function is called after each model call, because another model may have answered. */
  readonly price?: TokenPrice | (() => TokenPrice | undefined) | undefined;
  readonly parameters?: ModelParameters | undefined;
  /** Stores the results of tool calls. Default: nothing is stored. */
  readonly journal?: CallJournal | undefined;
  readonly signal: AbortSignal;
  readonly onEvent?: AgentListener | undefined;
  /** Asks for `text-delta` events. */
  readonly stream?: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** The result of a tool call. */
export type ToolCallEnd = Pick<ToolRun, "ok" | "result" | "duration_ms">;

/**
 * Keeps the tool calls of a run beyond the life of its process. A run that another process continues repeats no call that has
 * ended, and one that may have ended only if its tool declares that this does no harm.
 */
export interface CallJournal {
  /**
   * Records that a call begins. The call may start once this has resolved with null. Resolves with the result of a call that
   * ended earlier, and with `unknown` when an earlier call began and no result was recorded.
   */
  begin(call: AskedToolCall): Promise<ToolCallEnd | "unknown" | null>;
  end(callId: string, ended: ToolCallEnd): Promise<void>;
}

/** Repairs of all unknown tools are counted under this name, or a model that invents a new name each time would never stop. */
const unknownTool = "";

/** One run: its options, and everything it has done and used so far. Only its own methods change that state. */
export class AgentRun {
  readonly model: ChatModel;
  readonly parameters: ModelParameters | undefined;
  readonly toolbox: Toolbox;
  readonly journal: CallJournal | undefined;
  readonly limits: AgentLimits;
  /** The caller's signal: the only one that makes a run reject. */
  readonly signal: AbortSignal;
  readonly stream: boolean;
  readonly now: () => number;
  readonly emit: AgentListener;
  readonly issueId: IssueId;
  readonly #price: () => TokenPrice | undefined;

  #startedAt: number;
  /** Replaced, never changed in place: a model may keep the list it was given. */
  #history: readonly ChatMessage[];
  #lastReply: SuccessfulReply | null = null;
  #usage: Usage = noUsage;
  /** Tokens of a call are unknown and missing in `#usage`. */
  #uncounted = false;
  /** The cost of a call is unknown, and with it the cost of the run. */
  #unpriced = false;
  /** Counted or estimated, for the budgets only. */
  #tokens = 0;
  #cost = 0;
  #steps = 0;
  #modelCalls = 0;
  #claimedToolCalls = 0;
  #toolRuns: ToolRun[] = [];
  #invalidCalls: InvalidToolCall[] = [];
  #repairs = 0;
  #repairsByName = new Map<string, number>();

  constructor({
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
  }: AgentRunOptions) {
    this.model = model;
    this.parameters = parameters;
    this.toolbox = createToolbox({ tools, clientTools });
    this.journal = journal;
    this.limits = { ...defaultLimits, ...limits };
    this.signal = signal;
    this.stream = stream;
    this.now = now;
    this.emit = onEvent;
    this.issueId = createHistoryIdIssuer(messages);
    this.#price = typeof price === "function" ? price : () => price;
    this.#startedAt = now();
    this.#history = messages;
  }

  /** Restores a run that stopped for approval. Earlier use counts toward its limits; only the deadline starts over. */
  static restore(pending: PendingRun, options: Omit<AgentRunOptions, "messages">): AgentRun {
    const { totals } = pending;
    const run = new AgentRun({ ...options, messages: pending.history });
    for (const call of pending.calls) run.issueId(call.id);
    run.#startedAt -= totals.duration_ms;
    run.#lastReply = pending.reply;
    run.#usage = totals.usage;
    run.#uncounted = totals.uncounted ?? false;
    run.#unpriced = totals.cost === null;
    run.#tokens = pending.tokens;
    run.#cost = pending.cost ?? totals.cost ?? 0;
    run.#steps = totals.steps;
    run.#modelCalls = totals.model_calls;
    run.#claimedToolCalls = totals.tool_calls.length;
    run.#toolRuns = [...totals.tool_calls];
    run.#invalidCalls = [...totals.invalid_tool_calls];
    run.#repairs = totals.repairs;
    run.#repairsByName = new Map(pending.repairs_by_name);
    return run;
  }

  get history(): readonly ChatMessage[] {
    return this.#history;
  }

  /** The last successful reply of the model, also that of the run this one resumes. */
  get lastReply(): SuccessfulReply | null {
    return this.#lastReply;
  }

  get modelCalls(): number {
    return this.#modelCalls;
  }

  get toolRuns(): readonly ToolRun[] {
    return this.#toolRuns;
  }

  /** Does the work between the events that begin and end a run. */
  async emitAround(work: () => Promise<AgentOutcome>): Promise<AgentOutcome> {
    this.signal.throwIfAborted();
    this.emit({ type: "run-start" });
    const outcome = await work();
    this.emit({ type: "run-end", outcome });
    return outcome;
  }

  /** The time for everything but the final answer. */
  createToolDeadline(): Deadline {
    return new Deadline({ signal: this.signal, ms: this.limits.deadlineMs - this.#finalAnswerMs });
  }

  createFinalDeadline(): Deadline {
    return new Deadline({ signal: this.signal, ms: this.#finalAnswerMs });
  }

  get #finalAnswerMs(): number {
    return Math.min(this.limits.finalAnswerMs, this.limits.deadlineMs / 2);
  }

  beginStep(): void {
    this.#steps += 1;
  }

  stepLimit(): LimitReason | null {
    return this.#steps >= this.limits.steps ? "step_limit" : null;
  }

  /** The token or cost limit, if the run has reached it. */
  spentLimit(): LimitReason | null {
    if (this.#tokens >= this.limits.tokens) return "token_limit";
    return reaches(this.#cost, this.limits.cost) ? "cost_limit" : null;
  }

  /** Counts and announces a model call. Returns its number. */
  beginModelCall(): number {
    this.#modelCalls += 1;
    this.emit({ type: "model-start", call: this.#modelCalls });
    return this.#modelCalls;
  }

  /** Adds a reply to the totals and announces it. `messages` is the history it answers; null is a call that ran out of time. */
  endModelCall(call: number, reply: Reply | null, messages: readonly ChatMessage[]): void {
    if (reply?.ok) this.#account(reply, messages);
    this.emit({ type: "model-end", call, reply });
  }

  #account(reply: SuccessfulReply, messages: readonly ChatMessage[]): void {
    const usage = toUsage(reply.usage ?? estimateUsage(messages, reply));
    this.#lastReply = reply;
    this.#tokens += usage.total_tokens;
    const price = this.#price();
    if (price) this.#cost += priceUsage(usage, price);
    // The budgets take an estimate; the reported totals do not.
    if (!price || !reply.usage) this.#unpriced = true;
    if (reply.usage) this.#usage = addUsage(this.#usage, usage);
    else this.#uncounted = true;
  }

  /** Notes that a model call used tokens of unknown number and price. */
  markUncounted(): void {
    this.#uncounted = true;
    this.#unpriced = true;
  }

  extendHistory(messages: readonly ChatMessage[]): void {
    this.#history = [...this.#history, ...messages];
  }

  replaceHistory(messages: readonly ChatMessage[]): void {
    this.#history = messages;
  }

  /** Reserves up to `wanted` tool calls. Returns how many the limit still allows. */
  claimToolCalls(wanted: number): number {
    const claimed = Math.max(0, Math.min(wanted, this.limits.toolCalls - this.#claimedToolCalls));
    this.#claimedToolCalls += claimed;
    return claimed;
  }

  recordToolRuns(toolRuns: readonly ToolRun[]): void {
    this.#toolRuns.push(...toolRuns);
  }

  recordInvalidCall(call: Omit<InvalidToolCall, "model_call">): void {
    this.#invalidCalls.push({ ...call, model_call: this.#modelCalls });
  }

  /** Announces a call that is not carried out, so that listeners see every call the model made. */
  emitSkipped(call: Pick<ResolvedCall, "id" | "name" | "echo"> & { args: ToolArguments }, reason: string): void {
    const { id, name, args, echo } = call;
    const result = `The call was not run: ${reason}`;
    const tool_call = { id, name, args, ok: false, result, duration_ms: 0 };
    this.emit(compact({ type: "tool-skipped", tool_call, echo }));
  }

  /** Counts one repair per tool, however often it is listed; null is a call without a name. Returns the limit once it is exceeded. */
  countRepairs(tools: readonly (string | null)[]): LimitReason | null {
    const { own, client } = this.toolbox;
    const names = tools.map((tool) => (tool !== null && (own.has(tool) || client.has(tool)) ? tool : unknownTool));
    let limit: LimitReason | null = null;
    for (const name of new Set(names)) {
      const repairs = (this.#repairsByName.get(name) ?? 0) + 1;
      this.#repairsByName.set(name, repairs);
      if (repairs <= this.limits.repairs) this.#repairs += 1;
      else limit = "repair_limit";
    }
    return limit;
  }

  totals(): AgentTotals {
    return compact({
      usage: this.#usage,
      uncounted: this.#uncounted ? true : undefined,
      cost: this.#unpriced || !this.#price() ? null : roundDollars(this.#cost),
      steps: this.#steps,
      model_calls: this.#modelCalls,
      tool_calls: this.#toolRuns,
      invalid_tool_calls: this.#invalidCalls,
      repairs: this.#repairs,
      duration_ms: this.now() - this.#startedAt,
    });
  }

  toFailure(error: ReplyError): AgentOutcome {
    return { ...this.totals(), ok: false, error };
  }

  /** Everything that `AgentRun.restore` needs to continue at `calls`. */
  toPendingRun(reply: SuccessfulReply, calls: readonly ResolvedCall[]): PendingRun {
    return {
      history: this.#history,
      reply,
      calls: calls.map(toPendingCall),
      totals: this.totals(),
      tokens: this.#tokens,
      cost: this.#cost,
      repairs_by_name: [...this.#repairsByName],
    };
  }
}

/** Ids of new calls must also differ from those in the history. */
function createHistoryIdIssuer(messages: readonly ChatMessage[]): IssueId {
  const issueId = createIdIssuer({ prefix: "call", taken: [] });
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) issueId(call.id);
  }
  return issueId;
}

type TokenCounts = Pick<TokenUsage, "prompt_tokens" | "completion_tokens" | "total_tokens">;

const charactersPerToken = 4;

/** Keeps an endpoint that reports no token counts within the budgets. */
function estimateUsage(messages: readonly ChatMessage[], reply: SuccessfulReply): TokenCounts {
  const input = messages.reduce((sum, message) => sum + message.content.length, 0);
  const output = reply.tool_calls.reduce((sum, call) => sum + call.arguments.length, reply.text.length);
  return {
    prompt_tokens: Math.ceil(input / charactersPerToken),
    completion_tokens: Math.ceil(output / charactersPerToken),
    total_tokens: 0,
  };
}

function toPendingCall(call: ResolvedCall): PendingCall {
  const asked = toToolCall(call);
  if (call.kind === "unusable") return { ...asked, state: "unusable", sent: call.sent, error: call.error };
  if (call.kind === "answered") return { ...asked, state: "answered", result: call.content };
  return { ...asked, state: call.kind === "handed-out" ? call.waitsFor : "free" };
}
