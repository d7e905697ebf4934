import type { Metadata } from "./contract/metadata.ts";
import type { Score } from "./contract/score.ts";
import { builtInScorers, defaultScorers, type ScorerName } from "./evaluation/scorers/built-in-scorers.ts";
import type { Scorer } from "./evaluation/scorers/scorer.ts";
import { prepareText } from "./evaluation/text/prepare-text.ts";

export { builtInScorers, defaultScorers, type ScorerName } from "./evaluation/scorers/built-in-scorers.ts";
export type { Scorer, ScorerInput } from "./evaluation/scorers/scorer.ts";
export { prepareText, type PreparedText } from "./evaluation/text/prepare-text.ts";
export type { Score } from "./contract/score.ts";

export interface ReplyToScore {
  readonly reply: string;
  /** One acceptable reply, or several: the best one counts. */
  readonly reference?: string | readonly string[];
  readonly reference_metadata?: Metadata;
  readonly generated_metadata?: Metadata;
  /** Names of built-in scorers, or scorers of your own. Default: what a run is scored with. */
  readonly scorers?: readonly (ScorerName | Scorer)[];
}

/**
 * Scores one reply without a service, exactly as a run does.
 *
 * ```ts
 * scoreReply({ reply: "It takes 5 days.", reference: "5 days" });
 * ```
 */
export function scoreReply({
  reply,
  reference = [],
  reference_metadata = {},
  generated_metadata = {},
  scorers = defaultScorers,
}: ReplyToScore): Score[] {
  const input = {
    reply: prepareText(reply),
    references: [reference].flat().map(prepareText),
    generated_metadata,
    reference_metadata,
    unjudged_keys: new Set(Object.keys(reference_metadata).filter((key) => !(key in generated_metadata))),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  };
  return scorers.flatMap((scorer) => (typeof scorer === "string" ? builtInScorers[scorer] : scorer)(input));
}
