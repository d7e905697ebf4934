import { randomUUID } from "node:crypto";
import { untilAborted, type Deadline } from "../../base/deadline.ts";
import { createSemaphore } from "../../base/semaphore.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import {
  toOpenaiMessage,
  type ChatMessage,
  type OpaqueMetadata,
  type ReplyError,
  type SuccessfulReply,
  type ToolCall,
  type ToolDefinition,
  type UserMessage,
} from "../../contract/ports/chat-model.ts";
import { capBytes, toResultText } from "../messages/tool-result.ts";
import { ToolError, type ToolArguments } from "../tools/tool.ts";
import type { LimitReason } from "../tools/agent-limits.ts";
import { answerWithoutTools } from "./agent-loop.ts";
import { syntheticReply, type AgentOutcome } from "./agent-outcome.ts";
import { AgentRun, type AgentRunOptions } from "./agent-run.ts";
import { callModel } from "./call-model.ts";
import { runTool } from "./run-tool.ts";

/**
 * An agent of another framework in place of the built-in loop: the default export of the module AGENT_RUNNER names.
 * Resolves with the last message of the turn.
 *
 * @example export default async ({ messages, ask }) => (await ask({ messages })).text;
 */
export type PlugIn = (turn: PlugInTurn) => Promise<PlugInAnswer>;

/** `tool_calls`: the calls of tools of its own; those made by `use` are known. Other fields are for evaluations. */
type PlugInAnswer = string | { readonly text: string; readonly tool_calls?: readonly JsonRecord[] | undefined };

/**
 * An agent as `rehearsal eval --target` takes it too: `reply` of a module. Messages are in OpenAI's form, in `ask` as well.
 *
 * @example export const reply = async (messages, { ask }) => ask ? (await ask({ messages })).text : "Nobody to ask.";
 */
export type AgentFunction = (
  messages: readonly JsonRecord[],
  options: Omit<PlugInTurn, "messages" | "ask"> & {
    readonly ask: (request: {
      readonly messages: readonly JsonRecord[];
      readonly tools?: readonly ToolDefinition[] | undefined;
    }) => Promise<SuccessfulReply>;
  },
) => PlugInAnswer | Promise<PlugInAnswer>;

export function fromAgentFunction(reply: AgentFunction): PlugIn {
  return async ({ messages, ask, ...turn }) =>
    reply(messages.map(toOpenaiMessage), {
      ...turn,
      ask: (request) => ask({ ...request, messages: request.messages.map(fromOpenaiMessage) }),
    });
}

/** The form of OpenAI nests the name and the arguments of a call in `function`. */
function fromOpenaiMessage(message: JsonRecord): ChatMessage {
  const { tool_calls: calls, ...rest } = message;
  if (!Array.isArray(calls)) return message as unknown as ChatMessage;
  const tool_calls = calls.filter(isRecord).map((call) => {
    const { type: _, function: called, ...others } = call;
    return isRecord(called) ? { ...others, ...called } : call;
  });
  return { ...rest, content: message["content"] ?? "", tool_calls } as unknown as ChatMessage;
}

/** One turn as a plug-in sees it. */
interface PlugInTurn {
  /** The conversation so far. */
  readonly messages: readonly ChatMessage[];
  /** The agent's tools this turn may use, in the form that models are given. */
  readonly tools: readonly ToolDefinition[];
  /**
   * Asks the model the client chose. The call is counted, limited, recorded and streamed like one of the built-in loop. Rejects
   * when the model failed or a limit of the run is reached. Let the rejection pass: the turn then ends with the model's failure
   * or with one last answer.
   */
  readonly ask: (request: {
    readonly messages: readonly ChatMessage[];
    readonly tools?: readonly ToolDefinition[] | undefined;
  }) => Promise<SuccessfulReply>;
  /** Runs one of the agent's tools and returns the text for the model, also when the tool failed or cannot be run so. */
  readonly use: (call: {
    readonly name: string;
    readonly args?: ToolArguments | null | undefined;
    readonly id?: string | undefined;
  }) => Promise<string>;
  /** Aborts when the client is gone or the time is over. */
  readonly signal: AbortSignal;
}

/**
 * Runs a plug-in under the limits, deadlines, budgets, events and cancellation of the built-in loop. Tools that need approval are
 * not offered to it, because its loop cannot be stopped and resumed in the middle.
 */
export function createPlugInRunner(plugIn: PlugIn): (options: AgentRunOptions) => Promise<AgentOutcome> {
  return async ({ tools = [], clientTools = [], ...options }) => {
    if (clientTools.length > 0) {
      throw new ServiceError("validation_failed", "This agent is a plug-in and does not accept client tools.");
    }
    const run = new AgentRun({ ...options, tools: tools.filter((tool) => !tool.needsApproval) });
    return run.emitAround(() => runPlugIn(run, plugIn));
  };
}

/** Ends the turn, whatever the plug-in makes of the rejection it saw. */
type Stop =
  | { readonly kind: "limited"; readonly reason: LimitReason }
  | { readonly kind: "failed"; readonly error: ReplyError };

const turnOver = "The turn is over.";

async function runPlugIn(run: AgentRun, plugIn: PlugIn): Promise<AgentOutcome> {
  using deadline = run.createToolDeadline();
  const stops: Stop[] = [];
  const stop = (reason: Stop): never => {
    stops.push(reason);
    throw new Error(turnOver);
  };
  const { turn, leave } = trackWork(toTurn(run, { deadline, stop }), deadline);
  try {
    const answer: unknown = await untilAborted((async () => plugIn(turn))(), deadline.signal).finally(leave);
    const { text = answer, tool_calls: calls } = isRecord(answer) ? answer : {};
    if (typeof text !== "string") throw new TypeError("The plug-in must resolve with a text, or an object with text.");
    recordOwnCalls(run, Array.isArray(calls) ? calls.filter(isRecord) : []);
    return toAnswered(run, text);
  } catch (error) {
    run.signal.throwIfAborted();
    if (deadline.expired) return await answerWithoutTools(run, "deadline");
    const [first] = stops;
    if (first?.kind === "limited") return await answerWithoutTools(run, first.reason);
    if (first?.kind === "failed") return run.toFailure(first.error);
    throw error;
  }
}

/**
 * A plug-in may end while work it began still goes on. `leave` stops that work and waits until it has stopped, so that nothing
 * happens in a turn after its end, and nothing new begins. Failures of work the plug-in does not wait for are ignored.
 */
function trackWork(turn: PlugInTurn, deadline: Deadline): { turn: PlugInTurn; leave: () => Promise<void> } {
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

function toTurn(run: AgentRun, { deadline, stop }: { deadline: Deadline; stop: (reason: Stop) => never }): PlugInTurn {
  const semaphore = createSemaphore(run.limits.parallel);
  const metadata = createMetadataStore(run.history);
  return {
    // Copies: a plug-in may add to its lists, while the log and the next turn need the originals.
    messages: structuredClone(run.history),
    tools: structuredClone(run.toolbox.definitions),
    signal: deadline.signal,
    async ask({ messages, tools = [] }) {
      const limit = run.stepLimit() ?? run.spentLimit();
      if (limit) return stop({ kind: "limited", reason: limit });
      run.beginStep();
      // Set before the first await: parallel questions do not mix, and later changes to the plug-in's list do not count.
      run.replaceHistory(messages.map(metadata.restore));
      const reply = await callModel(run, { tools, deadline });
      if (!reply) return stop({ kind: "limited", reason: "deadline" });
      if (!reply.ok) return stop({ kind: "failed", error: reply.error });
      metadata.keep(reply.tool_calls);
      return reply;
    },
    async use({ name, args: given, id }) {
      // Models write null for no arguments, and a framework may leave them out.
      const args = given ?? {};
      const tool = run.toolbox.own.get(name);
      const problem = tool ? tool.check(args) : `there is no tool named ${JSON.stringify(name.slice(0, 64))}`;
      if (!tool || problem) {
        run.emitSkipped({ id: run.issueId(id), name, args }, problem ?? "");
        return `The call was not run: ${problem}`;
      }
      // Claimed before the first await: a plug-in may use many tools in parallel.
      if (run.claimToolCalls(1) === 0) return stop({ kind: "limited", reason: "tool_limit" });
      const asked = { id: run.issueId(id), name, arguments: JSON.stringify(args) };
      const call = { kind: "runnable", ...asked, args, tool } as const;
      const toolRun = await semaphore.take(deadline.signal, () => runTool(run, call, deadline));
      run.recordToolRuns([toolRun]);
      return toResultText(toolRun);
    },
  };
}

/** Calls of tools of its own, which it made before they are known here. */
function recordOwnCalls(run: AgentRun, calls: readonly JsonRecord[]): void {
  const used = new Set(run.totals().tool_calls.map(({ id }) => id));
  for (const call of calls) {
    const { name, arguments: given, args = given ?? {}, result = null, error } = call;
    const id = typeof call["id"] === "string" ? call["id"] : undefined;
    if (typeof name !== "string" || (id !== undefined && used.has(id))) continue;
    const parsed = typeof args === "string" ? parseRecord(args) : args;
    const made = { id: run.issueId(id), name, args: isRecord(parsed) ? parsed : {} };
    const text = typeof (error ?? result) === "string" ? String(error ?? result) : JSON.stringify(error ?? result);
    const toolRun = {
      ...made,
      ok: error === undefined,
      result: capBytes(text, run.limits.toolResultBytes),
      duration_ms: 0,
    };
    run.emit({ type: "tool-start", tool_call: made });
    run.emit({ type: "tool-end", tool_call: toolRun });
    run.recordToolRuns([toolRun]);
  }
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function toAnswered(run: AgentRun, text: string): AgentOutcome {
  const last = run.lastReply;
  // The model's text was streamed as it came; the plug-in's own was not.
  const unsaid = unsaidText(text, last?.text ?? "");
  if (run.stream && unsaid !== "") run.emit({ type: "text-delta", call: Math.max(1, run.modelCalls), text: unsaid });
  const isOwnText = text.trim() !== last?.text.trim();
  const reply = { ...(last ?? replyWithoutModel()), text, tool_calls: [], ...(isOwnText && ownTextFields) };
  // A plug-in may end with the text beside a call it does not make.
  const finish_reason = reply.finish_reason === "tool_calls" ? "stop" : reply.finish_reason;
  return { ...run.totals(), ok: true, reply, finish_reason, pending_tool_calls: [] };
}

/** These fields of the model's last reply do not apply to another text. */
const ownTextFields = { refusal: null, logprobs: null, finish_reason: "stop" } as const;

function replyWithoutModel(): SuccessfulReply {
  const completion_id = `plug-in-${randomUUID()}`;
  return syntheticReply({ text: "", tool_calls: [], finish_reason: "stop", model: "plug-in", completion_id });
}

/**
 * The part of a plug-in's answer that is still to be streamed after the model's last reply. Most plug-ins return that reply,
 * trimmed or with something added, and it must not appear twice. A different text follows after an empty line.
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
 * Keeps the opaque metadata of calls that providers want back, and the pictures of user messages. The messages of another
 * framework may have no place for them: they are restored by the id of the call, or by the text that stands for the picture.
 */
function createMetadataStore(messages: readonly ChatMessage[]) {
  const known = new Map<string, OpaqueMetadata>();
  const withPictures = new Map<string, UserMessage>();
  const keep = (calls: readonly ToolCall[] = []) => {
    for (const { id, echo } of calls) if (echo) known.set(id, echo);
  };
  for (const message of messages) {
    if (message.role === "assistant") keep(message.tool_calls);
    else if (message.role === "user" && message.parts) withPictures.set(message.content, message);
  }

  return {
    keep,
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
