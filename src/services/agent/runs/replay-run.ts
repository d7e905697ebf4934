import type { AgentLimits, TokenPrice } from "../../../agent/tools/agent-limits.ts";
import { runAgent } from "../../../agent/loop/agent-loop.ts";
import { syntheticReply, type AgentOutcome, type PostponedTurn } from "../../../agent/loop/agent-outcome.ts";
import { resumeAgent } from "../../../agent/loop/resume-agent.ts";
import { ToolError, type Tool } from "../../../agent/tools/tool.ts";
import type { AgentRunRecord } from "../../../contract/ports/agent-memory.ts";
import type { ChatMessage, ChatModel, FailedReply } from "../../../contract/ports/chat-model.ts";
import type { AgentRunEntry, AgentRunStarted } from "../../../contract/schemas/agent/agent-run.ts";
import type { AgentReplay } from "../../../contract/schemas/agent/agent-stream.ts";
import { startOf } from "./recorded-run.ts";

type ReplayEntry<Type extends AgentRunEntry["type"]> = Extract<AgentRunEntry, { type: Type }>;

interface ReplayOptions {
  readonly tools: readonly Tool[];
  readonly limits: Partial<AgentLimits>;
  readonly price?: ((resolved: string) => TokenPrice | undefined) | undefined;
  /** True when turns run in an agent of another framework, which a replay cannot run. */
  readonly isPlugIn: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs a recorded run again with the recorded replies of the model and results of the tools; nothing is called. The loop, its limits,
 * the prices and the tool schemas are the current ones, so the replay shows whether a change to them would have changed the run.
 */
export async function replayRun(
  whole: AgentRunRecord,
  { tools, limits, price, isPlugIn, signal }: ReplayOptions,
): Promise<AgentReplay> {
  const record = { ...whole, entries: withoutInterrupted(whole.entries) };
  const start = startOf(record);
  const divergences: string[] = [];
  if (isPlugIn)
    divergences.push("The agent is a plug-in, which cannot be replayed; the built-in loop was used instead.");
  const { model, resolved, left } = recordedModel(entriesOf(record, "model-call"), divergences);
  const options = {
    model,
    tools: recordedTools({ offered: start.tools, tools, record, divergences }),
    clientTools: start.client_tools,
    limits,
    price: price && (() => price(resolved() ?? start.model_resolved)),
    signal,
  };

  let outcome = await runAgent({ ...options, ...toOpening(start) });
  for (const { decisions } of entriesOf(record, "run-resume")) {
    if (!outcome.ok || !outcome.pending_run) break;
    outcome = await resumeAgent({ ...options, pending: outcome.pending_run, decisions });
  }
  if (left() > 0) divergences.push(`The replay ended ${left()} model calls before the recorded run did.`);
  compareEnds(outcome, entriesOf(record, "run-end").at(-1), divergences);
  return {
    run_id: record.id,
    matches: divergences.length === 0,
    divergences,
    finish_reason: outcome.ok ? outcome.finish_reason : null,
    text: outcome.ok ? outcome.reply.text : null,
    model_calls: outcome.model_calls,
    tool_calls: outcome.tool_calls.length,
  };
}

/** Drops parts of the log that were interrupted: the process that took the run over recorded their steps again. */
function withoutInterrupted(entries: readonly AgentRunEntry[]): readonly AgentRunEntry[] {
  const parts: AgentRunEntry[][] = [[]];
  const start = entries.findLastIndex((entry) => entry.type === "run-start");
  for (const entry of entries.slice(Math.max(0, start))) {
    if (entry.type === "run-resume") parts.push([]);
    parts.at(-1)?.push(entry);
  }
  const isInterrupted = (part: readonly AgentRunEntry[]) => {
    const end = part.findLast((entry) => entry.type === "run-end");
    return !end || (end.state === "waiting" && end.error !== null);
  };
  return parts.filter((part, index) => index === 0 || index === parts.length - 1 || !isInterrupted(part)).flat();
}

function entriesOf<Type extends AgentRunEntry["type"]>({ entries }: AgentRunRecord, type: Type): ReplayEntry<Type>[] {
  return entries.filter((entry): entry is ReplayEntry<Type> => entry.type === type);
}

function recordedModel(
  calls: readonly ReplayEntry<"model-call">[],
  divergences: string[],
): { model: ChatModel; resolved: () => string | undefined; left: () => number } {
  let next = 0;
  const model: ChatModel = async () => {
    const call = calls[next];
    next += 1;
    if (call?.reply) return call.reply;
    divergences.push(
      call
        ? `Model call ${next} was cut off; a replay cannot go past it.`
        : `The replay asked for model call ${next}; the log has ${calls.length}.`,
    );
    return noRecord;
  };
  return { model, resolved: () => calls[next - 1]?.model_resolved, left: () => Math.max(0, calls.length - next) };
}

const noRecord: FailedReply = {
  ok: false,
  error: {
    code: "upstream_error",
    detail: "The log contains no answer for this call.",
    upstream_status: null,
    tries: 0,
    retryable: false,
  },
  latency_ms: 0,
};

/** The current tools, by name, with their recorded results. */
function recordedTools({
  offered,
  tools,
  record,
  divergences,
}: {
  offered: readonly string[];
  tools: readonly Tool[];
  record: AgentRunRecord;
  divergences: string[];
}): readonly Tool[] {
  const results = entriesOf(record, "tool-call");
  const take = (name: string, args: unknown) => {
    const wanted = JSON.stringify(args);
    const index = results.findIndex((call) => call.name === name && JSON.stringify(call.args) === wanted);
    return index === -1 ? undefined : results.splice(index, 1)[0];
  };
  return offered.flatMap((name) => {
    const tool = tools.find(({ definition }) => definition.name === name);
    if (!tool) {
      divergences.push(`The tool ${name} is no longer available.`);
      return [];
    }
    const run: Tool["run"] = (args) => {
      const recorded = take(name, args);
      if (!recorded) {
        divergences.push(
          `The replay called ${name} with ${JSON.stringify(args).slice(0, 200)}; the log has no such call.`,
        );
        throw new ToolError("The log contains no result for this call.");
      }
      if (!recorded.ok) throw new ToolError(recorded.result);
      return recorded.result;
    };
    return [{ ...tool, run }];
  });
}

function compareEnds(outcome: AgentOutcome, end: ReplayEntry<"run-end"> | undefined, divergences: string[]): void {
  if (!end || end.state === "cancelled") {
    divergences.push(end ? "The recorded run was cancelled before its end." : "The recorded run has not ended.");
    return;
  }
  const code = outcome.ok ? null : outcome.error.code;
  if (code !== (end.error?.code ?? null)) {
    divergences.push(`The replay ended with ${code ?? "an answer"}, the run with ${end.error?.code ?? "an answer"}.`);
  }
  if (!outcome.ok) return;
  if (outcome.finish_reason !== end.finish_reason) {
    divergences.push(`The replay finished with ${outcome.finish_reason}, the run with ${end.finish_reason}.`);
  }
  if (outcome.reply.text !== end.text) divergences.push("The last message differs.");
}

/** The input of a run. */
interface RecordedOpening {
  readonly messages: readonly ChatMessage[];
  /** Set when the run continued a reply whose client calls were answered: only then do calls lack a result. */
  readonly postponed?: PostponedTurn;
}

function toOpening({ messages, model_resolved }: AgentRunStarted): RecordedOpening {
  const at = messages.findLastIndex(({ role }) => role !== "tool");
  const asked = messages[at];
  const results = messages.slice(at + 1).filter((message) => message.role === "tool");
  if (asked?.role !== "assistant" || (asked.tool_calls ?? []).length <= results.length) return { messages };
  const reply = syntheticReply({
    text: asked.content,
    tool_calls: asked.tool_calls ?? [],
    finish_reason: "tool_calls",
    model: model_resolved,
    completion_id: "",
  });
  return { messages: messages.slice(0, at), postponed: { reply, results } };
}
