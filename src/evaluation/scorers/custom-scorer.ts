import type { Metadata } from "../../contract/schemas/scenario.ts";
import { brokenScore } from "./broken-score.ts";
import type { GivenScore } from "./scorer.ts";
import { TimeOver, withinTime } from "./within-time.ts";

/** What a scorer of the operator may look at. */
interface CustomScorerInput {
  readonly user_message: string;
  readonly reply: string;
  readonly references: readonly string[];
  readonly reference_metadata: Metadata;
  readonly generated_metadata: Metadata;
  readonly interaction_id: string;
}

/** A scorer of the operator, never of a request: 0..1, or null with the reason why it cannot judge. */
export type CustomScorer = (
  input: CustomScorerInput,
) => number | null | CustomScore | Promise<number | null | CustomScore>;

export interface CustomScore {
  readonly value: number | null;
  readonly reason?: string;
}

/** Operators' scorers by the name of their score. */
export type CustomScorers = Readonly<Record<string, CustomScorer>>;

/** A cosine of equal vectors may come out as 1.0000000000000002, which is meant to be 1. */
const rounding = 1e-9;
const longestReason = 500;
/** A scorer that asks a model may take its time; one that never answers would hold up its run, and whoever ends the service, for ever. */
const longestMs = 120_000;
/** Replies in a row without an answer, after which a run no longer asks: a service that is gone would cost it these minutes at every turn. */
const mostInVain = 3;

/** How often a scorer has been waited for in vain since it last answered. One for each run. */
export interface Patience {
  inVain: number;
}

interface CustomScorerRun {
  readonly name: string;
  readonly scorer: CustomScorer;
  readonly input: CustomScorerInput;
  readonly signal: AbortSignal;
  /** Default: it is waited for whatever happened before. */
  readonly patience?: Patience | undefined;
  readonly limitMs?: number;
}

/**
 * Runs it. One that throws, gives neither null nor a number within 0..1 or takes too long has failed; it breaks nothing. It is handed a
 * copy: what it changes there is no business of other scores, other attempts or what is stored. Rejects only when `signal` aborts.
 */
export async function runCustomScorer(run: CustomScorerRun): Promise<GivenScore> {
  const { name, scorer, input, signal, patience = { inVain: 0 }, limitMs = longestMs } = run;
  if (patience.inVain >= mostInVain) {
    const reason = `not asked any more: it has not answered ${mostInVain} times in a row`;
    return { name, value: null, reason, failed: true };
  }
  try {
    const answer = await withinTime(Promise.resolve(scorer(structuredClone(input))), { ms: limitMs, signal });
    patience.inVain = 0;
    const { value, reason } = typeof answer === "object" && answer !== null ? answer : { value: answer };
    const text = toText(reason);
    if (value === null) return { name, value, reason: text ?? "the scorer gave no value" };
    if (typeof value !== "number" || !(value >= -rounding && value <= 1 + rounding)) {
      return { name, value: null, reason: "the scorer's value is not a number within 0..1", failed: true };
    }
    return { name, value: Math.min(1, Math.max(0, value)), ...(text !== undefined && { reason: text }) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TimeOver) patience.inVain++;
    return brokenScore(name, error);
  }
}

/** JavaScript may hand over anything as a reason, and any length of it. */
function toText(reason: unknown): string | undefined {
  return reason === null || reason === undefined ? undefined : String(reason).slice(0, longestReason).toWellFormed();
}
