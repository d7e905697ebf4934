import { compact } from "../../base/compact.ts";
import { untilAborted, type Deadline } from "../../base/deadline.ts";
import type { ChatRequest, Reply, ToolDefinition } from "../../contract/ports/chat-model.ts";
import type { AgentRun } from "./agent-run.ts";

/** Makes one model call with its events and accounting. Null when the time ran out; rejects when the caller aborts. */
export async function callModel(
  run: AgentRun,
  { tools, deadline }: { tools: readonly ToolDefinition[]; deadline: Deadline },
): Promise<Reply | null> {
  const { history: messages, parameters } = run;
  const request = compact({ messages, tools: tools.length > 0 ? tools : undefined, parameters });
  const call = run.beginModelCall();
  const reply = await requestReply(run, { call, request, deadline });
  run.endModelCall(call, reply, messages);
  return reply;
}

async function requestReply(
  run: AgentRun,
  { call, request, deadline }: { call: number; request: ChatRequest; deadline: Deadline },
): Promise<Reply | null> {
  const { signal } = deadline;
  let [hasText, hasReasoning] = [false, false];
  const emitText = (text: string) => {
    if (text === "" || signal.aborted) return;
    hasText = true;
    run.emit({ type: "text-delta", call, text });
  };
  const emitReasoning = (text: string) => {
    if (text === "" || signal.aborted) return;
    hasReasoning = true;
    run.emit({ type: "reasoning-delta", call, text });
  };
  try {
    signal.throwIfAborted();
    // An endpoint that asks for a longer wait fails now, with its own error, instead of at the deadline without one.
    const { leftMs: longestWaitMs } = deadline;
    const listeners = run.stream ? { onText: emitText, onReasoning: emitReasoning } : {};
    const answer = await untilAborted(run.model(request, { signal, longestWaitMs, ...listeners }), signal);
    const reply = capToolCalls(answer, run);
    // Some adapters cannot stream: their text arrives in one piece.
    if (run.stream && reply.ok && !hasText) {
      if (!hasReasoning) emitReasoning(reply.reasoning ?? "");
      emitText(reply.text);
    }
    return reply;
  } catch (error) {
    run.signal.throwIfAborted();
    if (deadline.expired) return null;
    throw error;
  }
}

const maxCallsPerReply = 128;

/**
 * A model that repeats itself may ask for tens of thousands of calls in one reply. Each would be answered, stored and sent
 * with every later request, so calls beyond the limit are dropped.
 */
function capToolCalls(reply: Reply, { limits }: AgentRun): Reply {
  const most = Math.max(maxCallsPerReply, limits.toolCallsPerStep);
  if (!reply.ok || reply.tool_calls.length <= most) return reply;
  return { ...reply, tool_calls: reply.tool_calls.slice(0, most) };
}
