import { compact } from "../../base/compact.ts";
import type { Deadline } from "../../base/deadline.ts";
import { isRecord } from "../../base/json.ts";
import { createSemaphore } from "../../base/semaphore.ts";
import { truncateText } from "../../base/text.ts";
import type { ChatMessage, ReplyError, SuccessfulReply } from "../../contract/ports/chat-model.ts";
import { fenceUntrusted, shortenResults, toResultText } from "../messages/tool-result.ts";
import { toToolName } from "../messages/tool-name.ts";
import type { ToolArguments } from "../tools/tool.ts";
import type { LimitReason } from "../tools/agent-limits.ts";
import type { AgentOutcome, PostponedTurn, ToolRun } from "./agent-outcome.ts";
import { AgentRun, type AgentRunOptions } from "./agent-run.ts";
import { callModel } from "./call-model.ts";
import {
  resolveToolCalls,
  shownArguments,
  toToolCall,
  type HandedOutCall,
  type ResolvedCall,
  type RunnableCall,
} from "./resolve-tool-calls.ts";
import { runTool } from "./run-tool.ts";

/**
 * Runs a conversation until the model answers: it calls the model, runs the tools the model asks for, and repeats.
 * Resolves with an outcome, also when the model failed; rejects only when `signal` aborts.
 * Only calls made by this run's model, or those of `postponed`, are carried out, never those in `messages`.
 *
 * @example
 * const outcome = await runAgent({ model, messages: fromAgentMessages(body.messages), tools: [calculator()], signal });
 */
export async function runAgent(options: AgentRunOptions): Promise<AgentOutcome> {
  const run = new AgentRun(options);
  return finishAgentRun(run, options.postponed ? openPostponed(run, options.postponed) : null);
}

/** A reply of the model whose calls are not answered yet. */
interface OpenTurn {
  readonly reply: SuccessfulReply;
  readonly calls: readonly ResolvedCall[];
}

/** The calls are resolved again, because the tools may have changed since. */
function openPostponed(run: AgentRun, { reply, results }: PostponedTurn): OpenTurn {
  const answers = new Map(results.map(({ tool_call_id, content }) => [tool_call_id, content]));
  const calls = resolveToolCalls(reply, run).map((call) => {
    const content = answers.get(call.id);
    return content === undefined ? call : { kind: "answered" as const, ...toToolCall(call), content };
  });
  return { reply, calls };
}

/** A postponed turn as the end of a conversation. The calls without a decision have no result in it. */
export function postponedMessages({ reply, results }: PostponedTurn): readonly ChatMessage[] {
  return [{ role: "assistant", content: reply.text, tool_calls: reply.tool_calls }, ...results];
}

/** Continues a run to its end, beginning with the calls of `turn`. Rejects only when the caller aborts. */
export function finishAgentRun(run: AgentRun, turn: OpenTurn | null): Promise<AgentOutcome> {
  return run.emitAround(async () => {
    const ending = await useTools(run, turn);
    if (ending.kind === "limited") return answerWithoutTools(run, ending.reason);
    return ending.kind === "failed" ? run.toFailure(ending.error) : toLoopAnswer(run, ending);
  });
}

/** How the part of a run that may use tools ended. */
type LoopEnding = AnsweredStep | Limited | { readonly kind: "failed"; readonly error: ReplyError };

interface AnsweredStep extends OpenTurn {
  readonly kind: "answered";
  /** Results of the calls that the client does not carry out. */
  readonly results: readonly ChatMessage[];
}

interface Limited {
  readonly kind: "limited";
  readonly reason: LimitReason;
}

async function useTools(run: AgentRun, turn: OpenTurn | null): Promise<LoopEnding> {
  using deadline = run.createToolDeadline();
  let ending = turn && (await continueTurn(run, turn, deadline));
  while (!ending && !run.stepLimit()) ending = await takeStep(run, deadline);
  return ending ?? { kind: "limited", reason: "step_limit" };
}

async function continueTurn(run: AgentRun, turn: OpenTurn, deadline: Deadline): Promise<LoopEnding | null> {
  if (turn.calls.some(isHandedOut)) return { kind: "answered", ...turn, results: [] };
  return answerStep(run, turn, deadline);
}

/** One model call and the tools it asks for. Null when the model goes on. */
async function takeStep(run: AgentRun, deadline: Deadline): Promise<LoopEnding | null> {
  run.beginStep();
  const reply = await callModel(run, { tools: run.toolbox.definitions, deadline });
  if (!reply) return { kind: "limited", reason: "deadline" };
  if (!reply.ok) return afterFailure(run, reply.error);
  if (reply.tool_calls.length === 0) return { kind: "answered", reply, calls: [], results: [] };

  const calls = resolveToolCalls(reply, run);
  reportUnusable(run, calls);
  // No call of a turn runs before all its approvals are given.
  if (calls.some(awaitsApproval)) return { kind: "answered", reply, calls, results: [] };
  if (!calls.some(isHandedOut)) return answerStep(run, { reply, calls }, deadline);
  const ours = calls.filter((call) => !isHandedOut(call));
  const { messages: results } = await answerToolCalls(run, ours, deadline);
  return { kind: "answered", reply, calls, results };
}

function afterFailure(run: AgentRun, error: ReplyError): LoopEnding | null {
  // The client cannot shorten a conversation that only our tool results made too long.
  if (error.code === "context_length_exceeded" && run.toolRuns.length > 0) {
    run.replaceHistory(shortenResults(run.history, run.toolRuns));
    return { kind: "limited", reason: "context_limit" };
  }
  if (!error.unreadable_call) return { kind: "failed", error };
  // An unreadable call counts as a repair: the model is asked again until the limit of repairs.
  run.markUncounted();
  return limited(run.countRepairs([null]));
}

const limited = (reason: LimitReason | null): Limited | null => reason && { kind: "limited", reason };

function isHandedOut(call: ResolvedCall): call is HandedOutCall {
  return call.kind === "handed-out";
}

function awaitsApproval(call: ResolvedCall): boolean {
  return isHandedOut(call) && call.waitsFor === "approval";
}

function reportUnusable(run: AgentRun, calls: readonly ResolvedCall[]): void {
  for (const call of calls) {
    if (call.kind !== "unusable") continue;
    const { id, name, sent: args, error } = call;
    run.recordInvalidCall({ id, name, args, error });
    run.emitSkipped({ ...call, args: argumentsIn(args) }, error);
  }
}

/** The arguments a model wrote, where they are a JSON object. */
function argumentsIn(text: string): ToolArguments {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

async function answerStep(run: AgentRun, { reply, calls }: OpenTurn, deadline: Deadline): Promise<LoopEnding | null> {
  const { messages, limit } = await answerToolCalls(run, calls, deadline);
  run.extendHistory([{ role: "assistant", content: reply.text, tool_calls: calls.map(toToolCall) }, ...messages]);
  return limited(limit);
}

/** Answers every call with one tool message, by running it or by saying why not. `limit` is the limit met on the way. */
async function answerToolCalls(
  run: AgentRun,
  calls: readonly ResolvedCall[],
  deadline: Deadline,
): Promise<{ readonly messages: readonly ChatMessage[]; readonly limit: LimitReason | null }> {
  const { chosen, limit: toolLimit } = chooseCalls(run, calls);
  const unusable = calls.filter((call) => call.kind === "unusable");
  const repairLimit = run.countRepairs(unusable.map(({ name }) => name));
  const semaphore = createSemaphore(run.limits.parallel);
  const toolRuns = await Promise.all(
    chosen.map((call) => semaphore.take(run.signal, () => runTool(run, call, deadline))),
  );
  run.recordToolRuns(toolRuns);

  const refusal = toolLimit
    ? "a limit of this run is reached."
    : `at most ${run.limits.toolCallsPerStep} calls are run at once. Ask again for this one.`;
  const results = new Map(toolRuns.map((toolRun) => [toolRun.id, toolRun]));
  for (const call of calls) {
    // Unusable calls were announced when they were resolved.
    if (call.kind === "unusable" || call.kind === "answered" || results.has(call.id)) continue;
    const reason = call.kind === "declined" ? call.reason : refusal;
    run.emitSkipped({ ...call, args: argumentsIn(call.arguments) }, reason);
  }
  const messages = calls.map((call): ChatMessage => {
    const content = answerTo(call, results.get(call.id), refusal);
    return { role: "tool", content, tool_call_id: call.id, name: call.name };
  });
  return { messages, limit: deadline.expired ? "deadline" : (toolLimit ?? repairLimit) };
}

/** The calls that may run. A run that has spent its tokens or money runs none. */
function chooseCalls(
  run: AgentRun,
  calls: readonly ResolvedCall[],
): { readonly chosen: readonly RunnableCall[]; readonly limit: LimitReason | null } {
  const spent = run.spentLimit();
  if (spent) return { chosen: [], limit: spent };
  const runnable = calls.filter((call) => call.kind === "runnable");
  const wanted = Math.min(runnable.length, run.limits.toolCallsPerStep);
  const granted = run.claimToolCalls(wanted);
  return { chosen: runnable.slice(0, granted), limit: granted < wanted ? "tool_limit" : null };
}

function answerTo(call: ResolvedCall, toolRun: ToolRun | undefined, refusal: string): string {
  switch (call.kind) {
    case "answered":
      return call.content;
    case "declined":
      return `The call was not run: ${call.reason}`;
    case "unusable": {
      const sent = fenceUntrusted(call.sent);
      return `The call was not run: ${call.error}\nYou sent:\n${sent}\nCorrect the call if you still need it.`;
    }
    default:
      return toolRun ? toResultText(toolRun) : `The call was not run: ${refusal}`;
  }
}

function toLoopAnswer(run: AgentRun, { reply, calls, results }: AnsweredStep): AgentOutcome {
  const handedOut = calls.filter(isHandedOut);
  // The client's calls come first: it answers them in its own time, and a run continues right after its approvals.
  const theirs = handedOut.filter((call) => !awaitsApproval(call));
  const pending = theirs.length > 0 ? theirs : handedOut;
  const postponed = handedOut.length > pending.length && { postponed: withIssuedIds(reply, calls) };
  return compact({
    ...run.totals(),
    ok: true,
    reply: run.modelCalls > 0 ? reply : withoutText(reply),
    finish_reason: pending.length > 0 ? "tool_calls" : reply.finish_reason,
    pending_tool_calls: pending.map((call) => ({ ...toToolCall(call), args: call.args })),
    pending_run: pending.some(awaitsApproval) ? run.toPendingRun(reply, calls) : undefined,
    handed_out:
      theirs.length > 0 ? { history: run.history, calls: calls.map(toToolCall), results, ...postponed } : undefined,
  });
}

function withIssuedIds(reply: SuccessfulReply, calls: readonly ResolvedCall[]): SuccessfulReply {
  return {
    ...reply,
    tool_calls: reply.tool_calls.map((call, index) => ({ ...call, id: calls[index]?.id ?? call.id })),
  };
}

/** An earlier run has already reported the text. */
function withoutText(reply: SuccessfulReply): SuccessfulReply {
  const { reasoning: _, ...rest } = reply;
  return { ...rest, text: "", logprobs: null, metadata: null };
}

const limitNames: Readonly<Record<LimitReason, string>> = {
  step_limit: "step limit",
  tool_limit: "limit of tool calls",
  token_limit: "token limit",
  cost_limit: "cost limit",
  repair_limit: "limit of unusable tool calls",
  context_limit: "context limit",
  deadline: "time limit",
};

/**
 * Ends a run that reached a limit with one last model call without tools. If that gives no text, a fixed sentence says so;
 * a run in which no model call ever succeeded has failed.
 */
export async function answerWithoutTools(run: AgentRun, reason: LimitReason): Promise<AgentOutcome> {
  run.replaceHistory(withNotice(run.history, reason));
  using deadline = run.createFinalDeadline();
  const reply = await callModel(run, { tools: [], deadline });
  if (reply?.ok) recordUnofferedCalls(run, reply, reason);
  if (reply?.ok && (reply.text !== "" || reply.refusal !== null)) return toLimitedOutcome(run, reply, reason);
  if (!run.lastReply) return run.toFailure(reply && !reply.ok ? reply.error : noAnswerInTime);

  const text = unfinishedText(reason);
  if (run.stream) run.emit({ type: "text-delta", call: run.modelCalls, text });
  const { reasoning: _, ...lastReply } = run.lastReply;
  return toLimitedOutcome(run, { ...lastReply, text, refusal: null, logprobs: null }, reason);
}

/** The user's text when a limit was reached and the model gave no last answer. */
export function unfinishedText(reason: LimitReason): string {
  return `I could not finish this request: the ${limitNames[reason]} was reached before I had an answer.`;
}

/** Calls in a reply that was offered no tools. They get no event: to a client, the end of a tool announces another reply. */
function recordUnofferedCalls(run: AgentRun, { tool_calls }: SuccessfulReply, reason: LimitReason): void {
  for (const { id, name, arguments: text } of tool_calls) {
    run.recordInvalidCall({
      id: run.issueId(id),
      name: toToolName(name),
      args: truncateText(text, shownArguments),
      error: `the ${limitNames[reason]} of this run is reached`,
    });
  }
}

function toLimitedOutcome(run: AgentRun, reply: SuccessfulReply, reason: LimitReason): AgentOutcome {
  return {
    ...run.totals(),
    ok: true,
    reply: { ...reply, tool_calls: [] },
    finish_reason: reason,
    pending_tool_calls: [],
  };
}

const noAnswerInTime: ReplyError = {
  code: "upstream_timeout",
  detail: "The model did not answer within the time of the run.",
  upstream_status: null,
  tries: 1,
  retryable: true,
};

/** The notice goes into the last tool message: not every chat template accepts another system or user message there. */
function withNotice(history: readonly ChatMessage[], reason: LimitReason): readonly ChatMessage[] {
  const last = history.at(-1);
  if (last?.role !== "tool") return history;
  const notice = `The ${limitNames[reason]} of this run is reached: no more tools can be called. Answer now with what you have.`;
  return [...history.slice(0, -1), { ...last, content: `${last.content}\n\n${notice}` }];
}
