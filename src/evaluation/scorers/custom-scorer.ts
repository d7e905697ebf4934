import { compact } from "../../base/compact.ts";
import { untilAborted } from "../../base/deadline.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import { failedScore, type GivenScore } from "../../scoring/scorers/scorer.ts";

/** The input of a custom scorer. */
interface CustomScorerInput {
  readonly user_message: string;
  readonly reply: string;
  readonly references: readonly string[];
  readonly reference_metadata: Metadata;
  readonly generated_metadata: Metadata;
  readonly interaction_id: string;
}

/** A scorer from the operator's configuration, never from a request: 0..1, or null with the reason. */
export type CustomScorer = (
  input: CustomScorerInput,
) => number | null | CustomScore | Promise<number | null | CustomScore>;

export interface CustomScore {
  readonly value: number | null;
  readonly reason?: string;
}

/** Custom scorers by the name of their score. */
export type CustomScorers = Readonly<Record<string, CustomScorer>>;

/** The cosine of equal vectors may be 1.0000000000000002. */
const rounding = 1e-9;
const maximumReasonLength = 500;
/** Long enough for a scorer that calls a model; one that never answers would block its run, and a shutdown. */
const defaultTimeoutMs = 120_000;
/** Consecutive timeouts after which a run stops calling a scorer: an unavailable service would delay every turn. */
const maximumTimeouts = 3;

/** Consecutive timeouts of a scorer within a run. */
export interface TimeoutCount {
  timeouts: number;
}

interface CustomScorerRun {
  readonly name: string;
  readonly scorer: CustomScorer;
  readonly input: CustomScorerInput;
  readonly signal: AbortSignal;
  /** Default: earlier timeouts are ignored. */
  readonly timeoutCount?: TimeoutCount | undefined;
  readonly limitMs?: number;
}

/**
 * Runs a custom scorer. The score fails when it throws, times out or returns neither null nor a number within 0..1. It gets a
 * copy of the input, so that it cannot change stored data. Rejects only when `signal` aborts.
 */
export async function runCustomScorer(run: CustomScorerRun): Promise<GivenScore> {
  const { name, scorer, input, signal, timeoutCount = { timeouts: 0 }, limitMs = defaultTimeoutMs } = run;
  if (timeoutCount.timeouts >= maximumTimeouts) {
    const reason = `skipped: it did not answer ${maximumTimeouts} times in a row`;
    return { name, value: null, reason, failed: true };
  }
  try {
    const answer = await withTimeout(Promise.resolve(scorer(structuredClone(input))), { ms: limitMs, signal });
    timeoutCount.timeouts = 0;
    const { value, reason } = typeof answer === "object" && answer !== null ? answer : { value: answer };
    const text = toReasonText(reason);
    if (value === null) return { name, value, reason: text ?? "the scorer gave no value" };
    if (typeof value !== "number" || !(value >= -rounding && value <= 1 + rounding)) {
      return { name, value: null, reason: "the scorer's value is not a number within 0..1", failed: true };
    }
    return compact({ name, value: Math.min(1, Math.max(0, value)), reason: text });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TimeoutError) timeoutCount.timeouts++;
    return failedScore(name, error);
  }
}

/** JavaScript callers may return anything as a reason, of any length. */
function toReasonText(reason: unknown): string | undefined {
  return reason === null || reason === undefined
    ? undefined
    : String(reason).slice(0, maximumReasonLength).toWellFormed();
}

class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** Settles with the work; rejects after `ms` or when `signal` aborts. */
async function withTimeout<Result>(
  work: Promise<Result>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<Result> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError(`no answer within ${ms / 1_000} s`)), ms);
  try {
    return await untilAborted(Promise.race([work, end]), signal);
  } finally {
    clearTimeout(timer);
  }
}
