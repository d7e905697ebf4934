import { firstCharacters } from "../base/text.ts";
import type { ChatMessage, ReplyError, SuccessfulReply } from "../contract/ports/chat-model.ts";
import type { LimitReason } from "./agent-limits.ts";
import type { AgentOutcome } from "./agent-outcome.ts";
import { toTotals, type AgentRun } from "./agent-run.ts";
import { callModel } from "./call-model.ts";
import { shownArguments } from "./read-tool-call.ts";
import { createTimeLimit } from "./time-limit.ts";
import { toToolName } from "./tool-name.ts";

const limitNames: Readonly<Record<LimitReason, string>> = {
  step_limit: "step limit",
  tool_limit: "limit of tool calls",
  token_limit: "token limit",
  cost_limit: "cost limit",
  repair_limit: "limit of unusable tool calls",
  context_limit: "context limit",
  deadline: "time limit",
};

/** What the user reads when a limit was reached and the model gave no last answer. */
export function unfinishedText(reason: LimitReason): string {
  return `I could not finish this request: the ${limitNames[reason]} was reached before I had an answer.`;
}

/** The time a run keeps for its final answer. */
export function finalAnswerTime({ limits }: AgentRun): number {
  return Math.min(limits.finalAnswerMs, limits.deadlineMs / 2);
}

/**
 * Ends a run that met a limit: one last model call without tools. When it brings nothing, a fixed sentence says so;
 * a run in which no model call ever succeeded has failed.
 */
export async function answerWithoutTools(run: AgentRun, reason: LimitReason): Promise<AgentOutcome> {
  run.history = withNotice(run.history, reason);
  using deadline = createTimeLimit({ signal: run.signal, ms: finalAnswerTime(run) });
  const reply = await callModel(run, { tools: [], deadline });
  if (reply?.ok) noteCalls(run, reply, reason);
  if (reply?.ok && (reply.text !== "" || reply.refusal !== null))
    return toOutcome(run, { ...reply, tool_calls: [] }, reason);
  if (!run.lastReply) return { ...toTotals(run), ok: false, error: reply && !reply.ok ? reply.error : noAnswerInTime };

  const text = unfinishedText(reason);
  if (run.stream) run.emit({ type: "text-delta", call: run.modelCalls, text });
  const { reasoning: _, ...lastReply } = run.lastReply;
  return toOutcome(run, { ...lastReply, text, refusal: null, logprobs: null, tool_calls: [] }, reason);
}

/** Calls in an answer that was offered no tools. No event tells of them: to a client, a tool that has ended calls for another answer. */
function noteCalls(run: AgentRun, { tool_calls }: SuccessfulReply, reason: LimitReason): void {
  for (const { id, name, arguments: text } of tool_calls) {
    run.invalidCalls.push({
      id: run.issueId(id),
      name: toToolName(name),
      args: firstCharacters(text, shownArguments),
      error: `the ${limitNames[reason]} of this run is reached`,
      model_call: run.modelCalls,
    });
  }
}

function toOutcome(run: AgentRun, reply: SuccessfulReply, reason: LimitReason): AgentOutcome {
  return { ...toTotals(run), ok: true, reply, finish_reason: reason, pending_tool_calls: [] };
}

const noAnswerInTime: ReplyError = {
  code: "upstream_timeout",
  detail: "The model did not answer within the time of the run.",
  upstream_status: null,
  tries: 1,
  retryable: true,
};

/** The notice goes into the last tool message: not every chat template takes another system or user message there. */
function withNotice(history: readonly ChatMessage[], reason: LimitReason): readonly ChatMessage[] {
  const last = history.at(-1);
  if (last?.role !== "tool") return history;
  const notice = `The ${limitNames[reason]} of this run is reached: no more tools can be called. Answer now with what you have.`;
  return [...history.slice(0, -1), { ...last, content: `${last.content}\n\n${notice}` }];
}
