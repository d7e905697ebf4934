import type { ChatMessage } from "../contract/ports/chat-model.ts";
import type { LimitReason } from "./agent-limits.ts";
import type { ToolRun } from "./agent-outcome.ts";
import type { AgentRun } from "./agent-run.ts";
import { countRepairs, unknownTool } from "./count-repairs.ts";
import type { ReadCall, RunnableCall, UnusableCall } from "./read-tool-call.ts";
import { runTool } from "./run-tool.ts";
import { argumentsIn, skipCall } from "./skip-call.ts";
import type { TimeLimit } from "./time-limit.ts";
import { fenceUntrusted } from "./untrusted-text.ts";

/** One tool message for each call of a turn, and the limit that was met on the way. */
interface ToolAnswers {
  readonly messages: readonly ChatMessage[];
  readonly limit: LimitReason | null;
}

/**
 * Answers every call of a turn, by running it or by saying why not. `spent` is a limit the run has reached already:
 * then nothing runs.
 */
export async function answerToolCalls(
  run: AgentRun,
  calls: readonly ReadCall[],
  { deadline, spent }: { deadline: TimeLimit; spent: LimitReason | null },
): Promise<ToolAnswers> {
  const runnable = calls.filter((call) => call.kind === "runnable");
  const { chosen, limit: toolLimit } = spent ? { chosen: [], limit: spent } : chooseCalls(run, runnable);
  const repairLimit = countRepairs(run, repairsIn(run, calls));
  const toolRuns = await inParallel(chosen, run.limits.parallel, (call) => runTool(run, call, deadline));
  run.toolRuns.push(...toolRuns);

  const refusal = toolLimit
    ? "a limit of this run is reached."
    : `at most ${run.limits.toolCallsPerStep} calls are run at once. Ask again for this one.`;
  const results = new Map(toolRuns.map((toolRun) => [toolRun.id, toolRun]));
  for (const call of calls) {
    // Unusable calls were told of when they were read.
    if (call.kind === "unusable" || call.kind === "answered" || results.has(call.id)) continue;
    skipCall(run, { ...call, args: argumentsIn(call.arguments) }, call.kind === "declined" ? call.reason : refusal);
  }
  const messages = calls.map((call): ChatMessage => {
    const content = answerTo(call, results.get(call.id), refusal);
    return { role: "tool", content, tool_call_id: call.id, name: call.name };
  });
  return { messages, limit: deadline.expired ? "deadline" : (toolLimit ?? repairLimit) };
}

function chooseCalls(run: AgentRun, calls: readonly RunnableCall[]) {
  const left = run.limits.toolCalls - run.toolRuns.length;
  const chosen = calls.slice(0, Math.max(0, Math.min(left, run.limits.toolCallsPerStep)));
  const wanted = Math.min(calls.length, run.limits.toolCallsPerStep);
  return { chosen, limit: wanted > left ? ("tool_limit" as const) : null };
}

/** A turn with unusable calls of one tool is one repair of that tool, however many calls it holds. */
function repairsIn({ toolbox }: AgentRun, calls: readonly ReadCall[]): ReadonlySet<string> {
  const { own, client } = toolbox;
  const unusable = calls.filter((call) => call.kind === "unusable");
  return new Set(unusable.map(({ name }) => (own.has(name) || client.has(name) ? name : unknownTool)));
}

function answerTo(call: ReadCall, toolRun: ToolRun | undefined, refusal: string): string {
  if (call.kind === "unusable") return toRepairText(call);
  if (call.kind === "answered") return call.content;
  if (call.kind === "declined") return `The call was not run: ${call.reason}`;
  return toolRun ? toResultText(toolRun) : `The call was not run: ${refusal}`;
}

function toRepairText({ error, sent }: UnusableCall): string {
  return `The call was not run: ${error}\nYou sent:\n${fenceUntrusted(sent)}\nCorrect the call if you still need it.`;
}

/** What a tool gave, for the model. */
export function toResultText({ ok, result }: Pick<ToolRun, "ok" | "result">): string {
  const fenced = fenceUntrusted(result);
  return ok ? fenced : `The tool failed.\n${fenced}`;
}

/** Does the work on every item, at most `limit` at a time; results in the order of the items. The first rejection rejects. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  const workers = Math.min(Math.max(1, limit), items.length);
  await Promise.all(Array.from({ length: workers }, drain));
  return results;
}
