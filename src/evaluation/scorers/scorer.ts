import type { LabelRule } from "../../contract/schemas/evaluation-request.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import type { Score } from "../../contract/schemas/score.ts";
import type { PreparedText } from "../text/prepare-text.ts";

/** What a scorer may look at. A failed reply never gets this far: it has nothing to judge. */
export interface ScorerInput {
  readonly reply: PreparedText;
  /** Every acceptable reply. Empty when the interaction has no reference: then there are no reply scores. */
  readonly references: readonly PreparedText[];
  readonly generated_metadata: Metadata;
  readonly reference_metadata: Metadata;
  /** Expected keys for which nobody could tell a value: not judged, which is not the same as wrong. */
  readonly unjudged_keys: ReadonlySet<string>;
  /** How the labels of a key are compared, where that was asked for. */
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  readonly call: CallFigures;
}

/** What is known about the call beside its text. */
interface CallFigures {
  readonly latency_ms: number;
  readonly first_token_ms: number | null;
  readonly cost: number | null;
}

/** Judges one reply. Pure: the same input gives the same scores. */
export type Scorer = (input: ScorerInput) => readonly GivenScore[];

/** A value with the sentence that explains it. `null`: could not be judged. */
export interface Judgement {
  readonly value: number | null;
  readonly reason: string;
  /** Not because there was nothing to judge, but because judging it broke, or would have taken too long. */
  readonly failed?: true;
}

/** A score as its scorer gives it. Without one that failed, `overall` would be of another kind than that of other replies. */
export type GivenScore = Score & Pick<Judgement, "failed">;
