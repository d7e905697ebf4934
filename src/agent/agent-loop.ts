import type { ChatMessage, ReplyError, SuccessfulReply, ToolCall } from "../contract/ports/chat-model.ts";
import type { LimitReason } from "./agent-limits.ts";
import type { AgentOutcome } from "./agent-outcome.ts";
import { toTotals, type AgentRun } from "./agent-run.ts";
import { answerToolCalls, toResultText } from "./answer-tool-calls.ts";
import { callModel, spentLimit } from "./call-model.ts";
import { capBytes } from "./cap-text.ts";
import { countRepairs, unknownTool } from "./count-repairs.ts";
import { answerWithoutTools, finalAnswerTime } from "./final-answer.ts";
import { toPendingRun } from "./pending-run.ts";
import { readToolCalls, type HandedOutCall, type ReadCall } from "./read-tool-call.ts";
import { argumentsIn, skipCall } from "./skip-call.ts";
import { createTimeLimit, type TimeLimit } from "./time-limit.ts";

/** A reply of the model and what its calls ask for. */
export interface OpenTurn {
  readonly reply: SuccessfulReply;
  readonly calls: readonly ReadCall[];
}

/** How the part of a run that may use tools ended. */
type Ending =
  | {
      readonly kind: "answered";
      readonly reply: SuccessfulReply;
      readonly calls: readonly ReadCall[];
      /** Of those calls that nobody else is to carry out. */
      readonly results: readonly ChatMessage[];
    }
  | { readonly kind: "limited"; readonly reason: LimitReason }
  | { readonly kind: "failed"; readonly error: ReplyError };

/** Takes a run to its end, beginning with the calls of `turn` if one is open. Rejects only when the caller aborts. */
export async function finishRun(run: AgentRun, turn: OpenTurn | null | undefined = null): Promise<AgentOutcome> {
  run.signal.throwIfAborted();
  run.emit({ type: "run-start" });
  const outcome = await toOutcome(run, await useTools(run, turn));
  run.emit({ type: "run-end", outcome });
  return outcome;
}

async function useTools(run: AgentRun, turn: OpenTurn | null | undefined): Promise<Ending> {
  using deadline = createTimeLimit({ signal: run.signal, ms: run.limits.deadlineMs - finalAnswerTime(run) });
  let ending = turn && (await takeUp(run, turn, deadline));
  while (!ending && run.steps < run.limits.steps) ending = await takeStep(run, deadline);
  return ending ?? { kind: "limited", reason: "step_limit" };
}

/** The calls of a turn that was left open: decided about by now, or still to be. */
async function takeUp(run: AgentRun, turn: OpenTurn, deadline: TimeLimit): Promise<Ending | null> {
  if (turn.calls.some(isHandedOut)) return { kind: "answered", ...turn, results: [] };
  return answerTurn(run, turn, deadline);
}

/** One model call and the tools it asks for. Null when the model shall go on. */
async function takeStep(run: AgentRun, deadline: TimeLimit): Promise<Ending | null> {
  run.steps += 1;
  const reply = await callModel(run, { tools: run.toolbox.definitions, deadline });
  if (!reply) return { kind: "limited", reason: "deadline" };
  if (!reply.ok) return afterFailure(run, reply.error);
  if (reply.tool_calls.length === 0) return { kind: "answered", reply, calls: [], results: [] };

  const calls = readToolCalls(reply, run);
  reportUnusable(run, calls);
  // Nothing of a turn that somebody must approve is run before they do.
  if (calls.some(awaitsApproval)) return { kind: "answered", reply, calls, results: [] };
  if (!calls.some(isHandedOut)) return answerTurn(run, { reply, calls }, deadline);
  const ours = calls.filter((call) => !isHandedOut(call));
  const { messages: results } = await answerToolCalls(run, ours, { deadline, spent: spentLimit(run) });
  return { kind: "answered", reply, calls, results };
}

/**
 * A call that nobody could read is a repair like any other: the model is asked again, at most so often. Nobody counted its tokens. A
 * conversation that only our tools made too long is not its client's to shorten.
 */
function afterFailure(run: AgentRun, error: ReplyError): Ending | null {
  if (error.code === "context_length_exceeded" && run.toolRuns.length > 0) {
    run.history = shortenResults(run);
    return { kind: "limited", reason: "context_limit" };
  }
  if (!error.unreadable_call) return { kind: "failed", error };
  run.uncounted = true;
  run.unpriced = true;
  const limit = countRepairs(run, [unknownTool]);
  return limit && { kind: "limited", reason: limit };
}

function isHandedOut(call: ReadCall): call is HandedOutCall {
  return call.kind === "handed-out";
}

function awaitsApproval(call: ReadCall): boolean {
  return isHandedOut(call) && call.waitsFor === "approval";
}

async function answerTurn(run: AgentRun, { reply, calls }: OpenTurn, deadline: TimeLimit): Promise<Ending | null> {
  const { messages, limit } = await answerToolCalls(run, calls, { deadline, spent: spentLimit(run) });
  const tool_calls = calls.map(toToolCall);
  run.history = [...run.history, { role: "assistant", content: reply.text, tool_calls }, ...messages];
  return limit && { kind: "limited", reason: limit };
}

function toToolCall({ id, name, arguments: text, echo }: ReadCall): ToolCall {
  return { id, name, arguments: text, ...(echo && { echo }) };
}

function reportUnusable(run: AgentRun, calls: readonly ReadCall[]): void {
  for (const call of calls) {
    if (call.kind !== "unusable") continue;
    const { id, name, sent: args, error } = call;
    run.invalidCalls.push({ id, name, args, error, model_call: run.modelCalls });
    skipCall(run, { ...call, args: argumentsIn(args) }, error);
  }
}

async function toOutcome(run: AgentRun, ending: Ending): Promise<AgentOutcome> {
  if (ending.kind === "limited") return answerWithoutTools(run, ending.reason);
  if (ending.kind === "failed") return { ...toTotals(run), ok: false, error: ending.error };
  const { reply, calls, results } = ending;
  const handedOut = calls.filter(isHandedOut);
  // The client's come first: it answers them in its own time, and what is decided then goes on at once.
  const theirs = handedOut.filter((call) => !awaitsApproval(call));
  const pending = theirs.length > 0 ? theirs : handedOut;
  const waits = pending.some(awaitsApproval);
  const postponed = handedOut.length > pending.length && { postponed: withIssuedIds(reply, calls) };
  return {
    ...toTotals(run),
    ok: true,
    reply: run.modelCalls > 0 ? reply : withoutWords(reply),
    finish_reason: pending.length > 0 ? "tool_calls" : reply.finish_reason,
    pending_tool_calls: pending.map((call) => ({ ...toToolCall(call), args: call.args })),
    ...(waits && { pending_run: toPendingRun(run, reply, calls) }),
    ...(theirs.length > 0 && {
      handed_out: { history: run.history, calls: calls.map(toToolCall), results, ...postponed },
    }),
  };
}

/** The same calls, as the model wrote them, by the ids they are known by. */
function withIssuedIds(reply: SuccessfulReply, calls: readonly ReadCall[]): SuccessfulReply {
  return {
    ...reply,
    tool_calls: reply.tool_calls.map((call, index) => ({ ...call, id: calls[index]?.id ?? call.id })),
  };
}

/** An earlier run has told them. */
function withoutWords(reply: SuccessfulReply): SuccessfulReply {
  const { reasoning: _, ...rest } = reply;
  return { ...rest, text: "", logprobs: null, metadata: null };
}

const shownBytes = 1000;

/**
 * The history of a run that has become too long for its model: what the last tools gave is cut to its beginning, and what
 * others gave before them, the newest first, until an eighth of it all is saved.
 */
function shortenResults({ history, toolRuns }: Pick<AgentRun, "history" | "toolRuns">): readonly ChatMessage[] {
  const results = new Map(toolRuns.map((toolRun) => [toolRun.id, toolRun]));
  const lastReply = history.findLastIndex(({ role }) => role !== "tool");
  let left = toolRuns.reduce((sum, { result }) => sum + result.length, 0) / 8;
  const shortened = history.toReversed().map((message, back) => {
    const toolRun = message.role === "tool" ? results.get(message.tool_call_id) : undefined;
    const isLast = history.length - 1 - back > lastReply;
    if (!toolRun || (!isLast && left <= 0)) return message;
    const result = capBytes(toolRun.result, shownBytes);
    left -= toolRun.result.length - result.length;
    return { ...message, content: toResultText({ ...toolRun, result }) };
  });
  return shortened.toReversed();
}
