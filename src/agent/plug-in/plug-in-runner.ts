import { randomUUID } from "node:crypto";
import { untilAborted } from "../../base/deadline.ts";
import { createPlaces } from "../../base/semaphore.ts";
import { ServiceError } from "../../contract/errors.ts";
import type {
  CallEcho,
  ChatMessage,
  ReplyError,
  SuccessfulReply,
  ToolCall,
  UserMessage,
} from "../../contract/ports/chat-model.ts";
import type { LimitReason } from "../agent-limits.ts";
import type { AgentOutcome } from "../agent-outcome.ts";
import { createAgentRun, toTotals, type AgentRun, type AgentRunOptions } from "../agent-run.ts";
import { callModel, spentLimit } from "../call-model.ts";
import { answerWithoutTools, finalAnswerTime } from "../final-answer.ts";
import { runTool } from "../run-tool.ts";
import { skipCall } from "../skip-call.ts";
import { createTimeLimit, type TimeLimit } from "../time-limit.ts";
import { ToolError } from "../tool.ts";
import { unaskedReply } from "../unasked-reply.ts";
import { fenceUntrusted } from "../untrusted-text.ts";
import type { PlugIn, PlugInTurn } from "./plug-in.ts";

/** Why a turn cannot go on, whatever the plug-in makes of the rejection it saw. */
type Stop =
  | { readonly kind: "limited"; readonly reason: LimitReason }
  | { readonly kind: "failed"; readonly error: ReplyError };

/**
 * Runs a plug-in under the rules of our own loop: limits, deadlines, budgets, events and cancelling are the same. Tools
 * that need approval are not offered to it, since a foreign loop cannot be stopped and resumed in the middle.
 */
export function createPlugInRunner(plugIn: PlugIn): (options: AgentRunOptions) => Promise<AgentOutcome> {
  return async ({ tools = [], clientTools = [], ...options }) => {
    if (clientTools.length > 0) {
      throw new ServiceError("validation_failed", "This agent is a plug-in, which takes no tools of the client.");
    }
    const run = createAgentRun({ ...options, tools: tools.filter((tool) => !tool.needsApproval) });
    run.signal.throwIfAborted();
    run.emit({ type: "run-start" });
    const outcome = await play(run, plugIn);
    run.emit({ type: "run-end", outcome });
    return outcome;
  };
}

async function play(run: AgentRun, plugIn: PlugIn): Promise<AgentOutcome> {
  using deadline = createTimeLimit({ signal: run.signal, ms: run.limits.deadlineMs - finalAnswerTime(run) });
  const stops: Stop[] = [];
  const stop = (reason: Stop): never => {
    stops.push(reason);
    throw new Error(turnOver);
  };
  const { turn, leave } = withLeaving(toTurn(run, { deadline, stop }), deadline);
  try {
    const text = await untilAborted((async () => plugIn(turn))(), deadline.signal).finally(leave);
    return answered(run, text);
  } catch (error) {
    run.signal.throwIfAborted();
    if (deadline.expired) return await answerWithoutTools(run, "deadline");
    const [first] = stops;
    if (first?.kind === "limited") return await answerWithoutTools(run, first.reason);
    if (first?.kind === "failed") return { ...toTotals(run), ok: false, error: first.error };
    throw error;
  }
}

const turnOver = "The turn is over.";

/**
 * A plug-in may end while something it began is still under way. `leave` stops that and waits until it has stopped, so that
 * nothing happens in a turn after its end; nor does anything new begin. What the plug-in does not wait for may fail unheard.
 */
function withLeaving(turn: PlugInTurn, deadline: TimeLimit): { turn: PlugInTurn; leave: () => Promise<void> } {
  const begun: Promise<unknown>[] = [];
  const begin = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = (async () => {
      deadline.signal.throwIfAborted();
      return work();
    })();
    begun.push(result.catch(() => {}));
    return result;
  };
  return {
    turn: { ...turn, ask: (request) => begin(() => turn.ask(request)), use: (call) => begin(() => turn.use(call)) },
    async leave() {
      deadline.cancel(new ToolError(turnOver));
      await Promise.all(begun);
    },
  };
}

function toTurn(run: AgentRun, { deadline, stop }: { deadline: TimeLimit; stop: (reason: Stop) => never }): PlugInTurn {
  const places = createPlaces(run.limits.parallel);
  const echoes = createKnownEchoes(run.history);
  let used = 0;
  return {
    // Its own copies: a plug-in may well add to what it is given, which the log and the next turn need as it was.
    messages: structuredClone(run.history),
    tools: structuredClone(run.toolbox.definitions),
    signal: deadline.signal,
    async ask({ messages, tools = [] }) {
      const spent = run.steps >= run.limits.steps ? "step_limit" : spentLimit(run);
      if (spent) return stop({ kind: "limited", reason: spent });
      run.steps += 1;
      // Taken before anything is waited for: questions asked side by side do not mix, and what is added later is not in it.
      run.history = messages.map(echoes.restore);
      const reply = await callModel(run, { tools, deadline });
      if (!reply) return stop({ kind: "limited", reason: "deadline" });
      if (!reply.ok) return stop({ kind: "failed", error: reply.error });
      echoes.learn(reply.tool_calls);
      return reply;
    },
    async use({ name, args: given, id }) {
      // Models write null for no arguments, and a framework may leave them out.
      const args = given ?? {};
      const tool = run.toolbox.own.get(name);
      const problem = tool ? tool.check(args) : `there is no tool named ${JSON.stringify(name.slice(0, 64))}`;
      if (!tool || problem) {
        skipCall(run, { id: run.issueId(id), name, args }, problem ?? "");
        return `The call was not run: ${problem}`;
      }
      if (used >= run.limits.toolCalls) return stop({ kind: "limited", reason: "tool_limit" });
      // Counted before anything is waited for: a plug-in may use many tools side by side.
      used += 1;
      const call = {
        kind: "runnable",
        id: run.issueId(id),
        name,
        arguments: JSON.stringify(args),
        args,
        tool,
      } as const;
      const toolRun = await places.take(deadline.signal, () => runTool(run, call, deadline));
      run.toolRuns.push(toolRun);
      const fenced = fenceUntrusted(toolRun.result);
      return toolRun.ok ? fenced : `The tool failed.\n${fenced}`;
    },
  };
}

function answered(run: AgentRun, text: unknown): AgentOutcome {
  if (typeof text !== "string") throw new TypeError("The plug-in must resolve with a text.");
  const last = run.lastReply;
  const own = text.trim() !== last?.text.trim();
  // What the model said was streamed while it said it; what the plug-in says by itself was not.
  const unsaid = unsaidText(text, last?.text ?? "");
  if (run.stream && unsaid !== "") run.emit({ type: "text-delta", call: Math.max(1, run.modelCalls), text: unsaid });
  const reply: SuccessfulReply = { ...(last ?? spokenAlone()), text, tool_calls: [], ...(own && unlike) };
  // A plug-in may end with the words beside a call that it does not make.
  const finish_reason = reply.finish_reason === "tool_calls" ? "stop" : reply.finish_reason;
  return { ...toTotals(run), ok: true, reply, finish_reason, pending_tool_calls: [] };
}

/** What the model's last reply says about itself is not true of another text. */
const unlike = { refusal: null, logprobs: null, finish_reason: "stop" } as const;

/** A turn in which the plug-in asked no model of ours. */
function spokenAlone(): SuccessfulReply {
  const completion_id = `plug-in-${randomUUID()}`;
  return unaskedReply({ text: "", tool_calls: [], finish_reason: "stop", model: "plug-in", completion_id });
}

/**
 * What is still to be streamed of a plug-in's answer after the model's last reply was, word by word. Most plug-ins hand that reply on,
 * trimmed or with something added: nobody wants to read it twice. Another text is set apart by an empty line.
 */
export function unsaidText(answer: string, said: string): string {
  const known = said.trim();
  if (known === "") return answer;
  const rest = restAfter(answer, said) ?? restAfter(answer.trimStart(), known);
  if (rest === null) return answer === "" ? "" : `\n\n${answer}`;
  return rest.trim() === "" ? "" : rest;
}

function restAfter(text: string, beginning: string): string | null {
  return text.startsWith(beginning) ? text.slice(beginning.length) : null;
}

/**
 * What models want to see again beside their calls, and the pictures they are shown. A framework has messages of its own, which
 * may have no place for it: it is kept here, and put back by the id of the call, or by the words that stand for the picture.
 */
function createKnownEchoes(messages: readonly ChatMessage[]) {
  const known = new Map<string, CallEcho>();
  const withPictures = new Map<string, UserMessage>();
  const learn = (calls: readonly ToolCall[] = []) => {
    for (const { id, echo } of calls) if (echo) known.set(id, echo);
  };
  for (const message of messages) {
    if (message.role === "assistant") learn(message.tool_calls);
    else if (message.role === "user" && message.parts) withPictures.set(message.content, message);
  }

  return {
    learn,
    restore(message: ChatMessage): ChatMessage {
      if (message.role === "user" && !message.parts) return withPictures.get(message.content) ?? message;
      if (known.size === 0 || message.role !== "assistant" || !message.tool_calls) return message;
      const tool_calls = message.tool_calls.map((call) => {
        const echo = call.echo ?? known.get(call.id);
        return echo ? { ...call, echo } : call;
      });
      return { ...message, tool_calls };
    },
  };
}
