import type { ChatMessage } from "../contract/ports/chat-model.ts";
import type { AgentRun } from "./agent-run.ts";
import { toResultText } from "./answer-tool-calls.ts";
import { capBytes } from "./cap-text.ts";

const shownBytes = 1000;

/**
 * The history of a run that has become too long for its model: what the last tools gave is cut to its beginning, and what
 * others gave before them, the newest first, until an eighth of it all is saved.
 */
export function shortenResults({ history, toolRuns }: Pick<AgentRun, "history" | "toolRuns">): readonly ChatMessage[] {
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
