import type { AgentRunEntry, AgentRunState } from "../../src/contract/schemas/agent/agent-run.ts";

type Entry<Type extends AgentRunEntry["type"]> = Extract<AgentRunEntry, { type: Type }>;

/** One line of the timeline. `from` and `duration` are milliseconds; `from` counts from the start of the run. */
export type TimelineStep = { readonly from: number; readonly duration: number } & (
  | { readonly kind: "model"; readonly entry: Entry<"model-call"> }
  | { readonly kind: "tool"; readonly entry: Entry<"tool-call"> }
  /** The time a run waited for approval. `decisions` is null while it waits. */
  | {
      readonly kind: "approval";
      readonly calls: readonly WaitingCall[];
      readonly decisions: Entry<"run-resume">["decisions"] | null;
    }
);

/** A tool call that waits, or waited, for approval. */
export interface WaitingCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export interface Timeline {
  readonly steps: readonly TimelineStep[];
  /** Milliseconds from the start to the last known moment; at least 1. */
  readonly total: number;
}

/** The steps of a run in the order in which they began. `now` ends a run that has not ended. */
export function toTimeline(
  whole: readonly AgentRunEntry[],
  { state, now }: { state: AgentRunState; now: number },
): Timeline {
  // A run that another process finished begins again in its log, with the steps that were complete.
  const begun = whole.findLastIndex(({ type }) => type === "run-start");
  const log = begun > 0 ? whole.slice(begun) : whole;
  const start = log[0]?.at ?? now;
  const steps: TimelineStep[] = [];
  log.forEach((entry, index) => {
    const from = Math.max(0, entry.at - start);
    if (entry.type === "model-call") steps.push({ kind: "model", from, duration: entry.duration_ms, entry });
    if (entry.type === "tool-call") steps.push({ kind: "tool", from, duration: entry.duration_ms, entry });
    if (entry.type !== "run-end" || entry.state !== "waiting") return;
    const resumed = log.slice(index + 1).find((later) => later.type === "run-resume");
    if (!resumed && state !== "waiting") return;
    const duration = Math.max(0, (resumed?.at ?? now) - entry.at);
    steps.push({
      kind: "approval",
      from,
      duration,
      calls: waitingCalls(log, index),
      decisions: resumed?.decisions ?? null,
    });
  });
  const ends = steps.map(({ from, duration }) => from + duration);
  const until = state === "running" || state === "waiting" ? now : start;
  return { steps: steps.toSorted((left, right) => left.from - right.from), total: Math.max(1, until - start, ...ends) };
}

/** The calls of the last model reply before the log entry at `end` that wait for approval. */
function waitingCalls(log: readonly AgentRunEntry[], end: number): WaitingCall[] {
  const entry = log[end];
  const asked = log.slice(0, end).findLast((earlier) => earlier.type === "model-call");
  if (entry?.type !== "run-end" || !asked?.reply?.ok) return [];
  // Logs of earlier versions do not name the waiting calls.
  const waiting = entry.waiting_calls && new Set(entry.waiting_calls);
  return asked.reply.tool_calls
    .filter(({ id }) => waiting?.has(id) ?? true)
    .map(({ id, name, arguments: text }) => ({ id, name, args: parseShownArguments(text) }));
}

function parseShownArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The model wrote something else.
  }
  return { arguments: text };
}
