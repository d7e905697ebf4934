import { compact } from "../../base/compact.ts";
import { publicErrorMessage } from "../../base/format.ts";
import { truncateText } from "../../base/text.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import type { LabelRule, Labels } from "./label-rule.ts";

/** The input of a scorer. Failed replies are never scored. */
export interface ScorerInput {
  readonly reply: PreparedText;
  /** Every acceptable reply; reply scores are missing when there is none. */
  readonly references: readonly PreparedText[];
  readonly generated_metadata: Labels;
  readonly reference_metadata: Labels;
  /** Expected keys whose value could not be determined: left unscored, not counted as wrong. */
  readonly unjudged_keys: ReadonlySet<string>;
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  readonly call: CallCost;
  /** The turn itself, for checks of more than its text. */
  readonly turn?: TurnFacts | undefined;
  /** The reply after a transform; absent without one. */
  readonly output?: unknown;
}

/** The facts of a turn other than the text of its reply. */
export interface TurnFacts {
  readonly interaction_id: string;
  readonly user_message: string;
  /** The message that was sent. */
  readonly prompt: string;
  readonly tool_calls: readonly SeenCall[];
  /** False when the endpoint may have made calls that it did not report. Default: true. */
  readonly callsSeen?: boolean;
  readonly finish_reason: string | null;
  /** The declared tools; undefined when none are declared here. */
  readonly tools?:
    | readonly { readonly name: string; readonly description?: string | undefined; readonly parameters?: unknown }[]
    | undefined;
  readonly system?: string | undefined;
  /** The passages that were retrieved for the reply. */
  readonly context?: readonly SeenPassage[];
  /** The turns before this one. */
  readonly earlier?: readonly EarlierTurn[];
  /** The date of the conversation, as the scenario says it. */
  readonly today?: unknown;
}

interface SeenPassage {
  readonly text: string;
  readonly id?: string | undefined;
  readonly source?: string | undefined;
}

interface EarlierTurn {
  readonly user_message: string;
  /** Null for a failed turn. */
  readonly reply: string | null;
  readonly tool_calls?: readonly SeenCall[];
  readonly context?: readonly SeenPassage[];
}

/** A tool call of the agent, as far as it is known. */
export interface SeenCall {
  readonly id: string;
  readonly name: string;
  /** Usually an object; the text itself when it is not valid JSON. */
  readonly arguments: unknown;
  readonly arguments_error?: string | undefined;
  readonly arguments_unknown?: true | undefined;
  /** Absent when it is not known. */
  readonly result?: unknown;
  readonly error?: string | undefined;
}

/** Duration and price of the call that gave the reply. */
interface CallCost {
  readonly latency_ms: number;
  readonly first_token_ms: number | null;
  readonly cost: number | null;
}

/** Scores one reply. Pure: the same input gives the same scores. */
export type Scorer = (input: ScorerInput) => readonly GivenScore[];

/** Checks a reply against the caller's settings. Pure, and not expected to throw. */
export type ReplyCheck = (input: ScorerInput) => ScorerResult;

/** A value with the sentence that explains it. `value` is null when the reply could not be scored. */
export interface ScorerResult {
  readonly value: number | null;
  readonly reason: string;
  /** Set when scoring failed or would have taken too long, rather than having nothing to score. */
  readonly failed?: true;
  /** Set when the score needs tool calls, or arguments, that could not be seen. */
  readonly undecided?: true;
}

/** The reason of a score that needs calls which the endpoint does not show. */
export const unseenCalls = "undecided: the endpoint does not show which tools it calls";

/**
 * A named score. One that failed or is undecided leaves `overall` undefined: without it, the value would not be comparable between
 * replies.
 */
export interface GivenScore {
  readonly name: string;
  readonly value: number | null;
  readonly reason?: string | undefined;
  readonly failed?: true;
  readonly undecided?: true;
  /** The places of the reply that lower the score. */
  readonly marks?: readonly ReplyMark[] | undefined;
}

/** A piece of a reply or a source in a reason. */
export const quoteText = (text: string): string => JSON.stringify(truncateText(text, 80));

/** A place in a reply, by its characters, and what is wrong there. */
export interface ReplyMark {
  readonly start: number;
  readonly end: number;
  readonly reason: string;
}

/** Compares a reply with one reference. */
export type PairScorer = (pair: {
  readonly reply: PreparedText;
  readonly reference: PreparedText;
  /** Number of references. */
  readonly references: number;
}) => ScorerResult;

/** Makes a scorer of a comparison with one reference: the best reference counts. */
export function bestReference(name: string, scorePair: PairScorer): Scorer {
  return ({ reply, references }) => {
    if (references.length === 0) return [{ name, value: null, reason: "no reference reply" }];

    let best: ScorerResult | undefined;
    let bestIndex = 0;
    for (const [index, reference] of references.entries()) {
      const result = scorePair({ reply, reference, references: references.length });
      if (best && (result.value ?? -1) <= (best.value ?? -1)) continue;
      best = result;
      bestIndex = index;
    }
    const { value, reason, failed } = best as ScorerResult;
    const which =
      references.length > 1 && value !== null ? ` (reference ${bestIndex + 1} of ${references.length})` : "";
    return [compact({ name, value, reason: reason + which, failed: failed || undefined })];
  };
}

/** Steps of one comparison: less than a second. */
const maximumSteps = 4e9;
/** Steps of all comparisons of one reply for one score: a few seconds. */
const maximumTogether = 1e11;
/** Cost of preparing one character or word for a comparison, in steps. */
const stepsToRead = 300;

interface Lengths {
  readonly reply: number;
  readonly reference: number;
  readonly references: number;
}

/** The result of a quadratic comparison that is skipped because it would take too long, else null. */
export function replyTooLong({ reply, reference, references }: Lengths, unit: string): ScorerResult | null {
  const steps = reply * reference;
  const together = (steps + stepsToRead * (reply + reference)) * references;
  if (steps <= maximumSteps && (references === 1 || together <= maximumTogether)) return null;
  const times = references === 1 ? "" : `, ${references} references`;
  return { value: null, reason: `too long to compare: ${reply} and ${reference} ${unit}${times}`, failed: true };
}

/** The score of a check or scorer that threw. The reply itself is kept. */
export function failedScore(name: string, error: unknown): GivenScore {
  return { name, value: null, reason: `the scorer failed: ${publicErrorMessage(error)}`, failed: true };
}
