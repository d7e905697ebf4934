import { compact } from "../../base/compact.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { TurnStep, TurnTrace } from "../../contract/schemas/acting/turn-steps.ts";
import { fillCall, isSameCall, type SpannedCall, type SpannedTurn } from "./read-turn.ts";

interface AppliedSpans {
  readonly traceId: string;
  readonly spanId: string;
  /** The spans of the turn; null without any. */
  readonly turn: SpannedTurn | null;
  readonly count: number;
  readonly isComplete: boolean;
  /** True when spans of the attempt show its tools, so that a turn without such a span called none. */
  readonly toolsAreTraced: boolean;
  /** True when spans of the attempt came, or have to. */
  readonly areExpected: boolean;
  /** True when the agent shows its calls by spans alone. */
  readonly areDeclared: boolean;
}

/**
 * A reply with what the spans of its turn show. Calls that the reply and the spans both show are one call. May be repeated with more
 * spans: what earlier ones added is replaced.
 */
export function applySpans(stored: StoredReply, applied: AppliedSpans): StoredReply {
  const { turn, isComplete, toolsAreTraced } = applied;
  const reply = withoutSpans(stored);
  const tells = turn !== null && isComplete && (turn.tellsCalls || toolsAreTraced);
  const calls_seen = callsSeen(reply, { ...applied, tells });
  if (!turn) return compact({ ...reply, calls_seen });
  const merged = mergeCalls(reply.tool_calls ?? [], turn.calls);
  const usage = reply.usage ?? usageOf(turn);
  const cost = reply.cost ?? turn.cost ?? undefined;
  const context = reply.context ?? (turn.passages.length > 0 ? [...turn.passages] : undefined);
  const learned = {
    calls: reply.calls_seen !== undefined && calls_seen === undefined,
    usage: reply.usage === null && usage !== null,
    cost: (reply.cost ?? null) === null && cost !== undefined,
    context: reply.context === undefined && context !== undefined,
  };
  return compact({
    ...reply,
    usage,
    cost,
    context,
    calls_seen,
    tool_calls: merged.calls.length > 0 ? merged.calls : reply.tool_calls,
    model_calls: reply.model_calls ?? (turn.modelCalls > 1 ? turn.modelCalls : undefined),
    trace: toTrace(turn, { ...applied, learned, callOf: merged.callOf }),
  });
}

type Learned = Readonly<Record<"calls" | "usage" | "cost" | "context", boolean>>;

function toTrace(
  turn: SpannedTurn,
  {
    traceId: trace_id,
    spanId: span_id,
    count: spans,
    isComplete,
    learned,
    callOf,
  }: AppliedSpans & { readonly learned: Learned; readonly callOf: ReadonlyMap<string, number> },
): TurnTrace {
  const tells = (["calls", "usage", "cost", "context"] as const).filter((name) => learned[name]);
  return compact({
    trace_id,
    span_id,
    spans,
    incomplete: isComplete ? undefined : (true as const),
    steps: turn.steps.map((step): TurnStep => compact({ ...step, call: callOf.get(step.id) })),
    tells: tells.length > 0 ? tells : undefined,
  });
}

/** The reply as its endpoint gave it. */
function withoutSpans(stored: StoredReply): StoredReply {
  const { trace, ...reply } = stored;
  const tells = new Set(trace?.tells);
  const calls = reply.tool_calls?.filter(({ source }) => source !== "spans");
  const { cost, context, calls_seen, model_calls, ...rest } = reply;
  const seen = calls_seen === "spans" || tells.has("calls") ? ("none" as const) : calls_seen;
  return compact({
    ...rest,
    calls_seen: calls_seen === "spans" && trace === undefined && calls?.length === 0 ? ("none" as const) : seen,
    usage: tells.has("usage") ? null : reply.usage,
    cost: tells.has("cost") ? undefined : cost,
    context: tells.has("context") ? undefined : context,
    model_calls: trace ? undefined : model_calls,
    tool_calls: calls && calls.length > 0 ? calls : undefined,
  });
}

/** Calls of which spans are missing are unknown, whatever other turns show. */
function callsSeen(
  { calls_seen, tool_calls, error }: StoredReply,
  { tells, areExpected, areDeclared }: Pick<AppliedSpans, "areExpected" | "areDeclared"> & { readonly tells: boolean },
): StoredReply["calls_seen"] {
  if (tells) return undefined;
  if (calls_seen === "none" && areExpected) return "spans";
  const isUnknown = calls_seen === undefined && tool_calls === undefined && areDeclared && !error;
  return isUnknown ? "spans" : calls_seen;
}

function usageOf({ tokens }: SpannedTurn): StoredReply["usage"] {
  if (!tokens) return null;
  const { input, output } = tokens;
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

/** Adds the calls of spans to those of a reply, each once. Calls that only spans show stand after the one before them in time. */
function mergeCalls(
  known: readonly RecordedToolCall[],
  seen: readonly SpannedCall[],
): { calls: RecordedToolCall[]; callOf: ReadonlyMap<string, number> } {
  const merged = known.map((call): { call: RecordedToolCall; step?: string | undefined } => ({ call }));
  const free = new Set(merged);
  let after = -1;
  for (const { call, step } of seen) {
    const candidates = [...free];
    const same =
      candidates.find((each) => each.call.id !== "" && each.call.id === call.id) ??
      candidates.find((each) => isSameCall(each.call, call));
    if (same) {
      free.delete(same);
      same.call = fillCall(same.call, call);
      same.step = step;
      after = merged.indexOf(same);
    } else merged.splice((after += 1), 0, { call, step });
  }
  const callOf = new Map(merged.flatMap(({ step }, index) => (step === undefined ? [] : [[step, index] as const])));
  return { calls: merged.map(({ call }) => call), callOf };
}
