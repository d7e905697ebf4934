import { untilAborted } from "../base/deadline.ts";
import { reaches } from "../base/numbers.ts";
import type { ChatRequest, Reply, SuccessfulReply, TokenUsage, ToolDefinition } from "../contract/ports/chat-model.ts";
import { addUsage, priceUsage, toUsage } from "../contract/schemas/usage.ts";
import type { LimitReason } from "./agent-limits.ts";
import type { AgentRun } from "./agent-run.ts";
import type { TimeLimit } from "./time-limit.ts";

/** One model call with its events and its share of the totals. Null when the time ran out; rejects when the caller aborts. */
export async function callModel(
  run: AgentRun,
  { tools, deadline }: { tools: readonly ToolDefinition[]; deadline: TimeLimit },
): Promise<Reply | null> {
  run.modelCalls += 1;
  const call = run.modelCalls;
  run.emit({ type: "model-start", call });
  const reply = await settle(run, { call, tools, deadline });
  if (reply?.ok) account(run, reply);
  run.emit({ type: "model-end", call, reply });
  return reply;
}

async function settle(
  run: AgentRun,
  { call, tools, deadline }: { call: number; tools: readonly ToolDefinition[]; deadline: TimeLimit },
): Promise<Reply | null> {
  const { signal } = deadline;
  let [streamed, thought] = [false, false];
  const emitText = (text: string) => {
    if (text === "" || signal.aborted) return;
    streamed = true;
    run.emit({ type: "text-delta", call, text });
  };
  const emitThought = (text: string) => {
    if (text === "" || signal.aborted) return;
    thought = true;
    run.emit({ type: "reasoning-delta", call, text });
  };
  try {
    signal.throwIfAborted();
    // An endpoint that wants us to wait for longer has said what is wrong: the time would be over without a word of it.
    const { leftMs: longestWaitMs } = deadline;
    const listeners = run.stream ? { onText: emitText, onReasoning: emitThought } : {};
    const options = { signal, longestWaitMs, ...listeners };
    const reply = withoutFlood(await untilAborted(run.model(toRequest(run, tools), options), signal), run);
    // Some adapters cannot stream: their text arrives in one piece.
    if (run.stream && reply.ok && !streamed) {
      if (!thought) emitThought(reply.reasoning ?? "");
      emitText(reply.text);
    }
    return reply;
  } catch (error) {
    run.signal.throwIfAborted();
    if (deadline.expired) return null;
    throw error;
  }
}

/** More calls at once than anybody means. */
const mostCalls = 128;

/**
 * A model that repeats itself may ask for tens of thousands of calls in one answer. Each would be answered, kept and sent with every
 * later call of the run: those behind the first are as if they had not been written.
 */
function withoutFlood(reply: Reply, { limits }: AgentRun): Reply {
  const most = Math.max(mostCalls, limits.toolCallsPerStep);
  if (!reply.ok || reply.tool_calls.length <= most) return reply;
  return { ...reply, tool_calls: reply.tool_calls.slice(0, most) };
}

function toRequest({ history, parameters }: AgentRun, tools: readonly ToolDefinition[]): ChatRequest {
  return {
    messages: history,
    ...(tools.length > 0 && { tools }),
    ...(parameters && { parameters }),
  };
}

function account(run: AgentRun, reply: SuccessfulReply): void {
  const usage = toUsage(reply.usage ?? estimateUsage(run, reply));
  run.lastReply = reply;
  run.tokens += usage.total_tokens;
  const price = run.price();
  if (price) run.cost += priceUsage(usage, price);
  // The budget takes an estimate; what is told of the run is counted, or left out.
  if (!price || !reply.usage) run.unpriced = true;
  if (reply.usage) run.usage = addUsage(run.usage, usage);
  else run.uncounted = true;
}

type TokenCounts = Pick<TokenUsage, "prompt_tokens" | "completion_tokens" | "total_tokens">;

const charactersPerToken = 4;

/** For the budgets only, so that an endpoint that does not count cannot run past them. */
function estimateUsage({ history }: AgentRun, reply: SuccessfulReply): TokenCounts {
  const input = history.reduce((sum, message) => sum + message.content.length, 0);
  const output = reply.tool_calls.reduce((sum, call) => sum + call.arguments.length, reply.text.length);
  return {
    prompt_tokens: Math.ceil(input / charactersPerToken),
    completion_tokens: Math.ceil(output / charactersPerToken),
    total_tokens: 0,
  };
}

/** The limit of tokens or money that the run has reached, if any. */
export function spentLimit({ limits, tokens, cost }: AgentRun): LimitReason | null {
  if (tokens >= limits.tokens) return "token_limit";
  return reaches(cost, limits.cost) ? "cost_limit" : null;
}
