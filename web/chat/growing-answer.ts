import type { AgentEvent } from "../agent-api.ts";
import { toApiError } from "../api-error.ts";
import type { Answer, PlainFailure, ToolUse } from "./conversation.ts";

/** How often a growing answer is drawn. Every delta would draw a fast model hundreds of times a second. */
const drawEvery = 50;

/** Tells an answer as it grows out of the events of a run, from what there is of it. The last one told is done or failed. */
export async function growAnswer(
  events: AsyncIterable<AgentEvent>,
  { begun, onAnswer }: { begun: Answer; onAnswer: (answer: Answer) => void },
): Promise<void> {
  const started = performance.now();
  const { model, text, thoughts, tools } = begun;
  let answer: Answer = { model, state: "waiting", text, thoughts, tools };
  const calls: LastCalls = { text: 0, thoughts: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const drawSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onAnswer(answer);
    }, drawEvery);
  };
  onAnswer(answer);

  try {
    for await (const event of events) {
      if (event.type === "reply") {
        const { reply, cost, total, runId } = event;
        const milliseconds = performance.now() - started;
        // The reply holds its own text. Only an answer that goes on needs what came before.
        const text = reply.tool_calls.length > 0 ? answer.text : "";
        answer = { ...answer, state: "done", text, reply, cost, total, runId, milliseconds };
        break;
      }
      answer = grow(answer, event, calls);
      if ("call" in event) calls[event.type] = event.call;
      drawSoon();
    }
  } catch (error) {
    answer = { ...answer, state: "failed", failure: toPlainFailure(error) };
  }
  clearTimeout(timer);
  onAnswer(answer);
}

function toPlainFailure(error: unknown): PlainFailure {
  const { message, detail, hint, code, suggestions } = toApiError(error);
  return { message, detail, hint, code, suggestions };
}

/** The model call that spoke last, and the one that thought last. */
type LastCalls = Record<"text" | "thoughts", number>;

function grow(answer: Answer, event: Exclude<AgentEvent, { type: "reply" }>, calls: Readonly<LastCalls>): Answer {
  if ("tool" in event) return { ...answer, tools: withTool(answer.tools, event) };
  const { type, call, text } = event;
  const before = answer[type] ?? "";
  const gap = before !== "" && call !== calls[type] ? "\n\n" : "";
  return { ...answer, [type]: before + gap + text };
}

function withTool(tools: readonly ToolUse[], event: Extract<AgentEvent, { type: "tool-start" | "tool-end" }>) {
  const { id, name, args } = event.tool;
  const use: ToolUse =
    event.type === "tool-start"
      ? { id, name, args, ok: true, result: null, milliseconds: null }
      : { id, name, args, ok: event.tool.ok, result: event.tool.result, milliseconds: event.tool.duration_ms };
  const known = tools.findIndex((tool) => tool.id === id && tool.result === null);
  return known === -1 ? [...tools, use] : tools.with(known, use);
}
