import { prepareText } from "../text/prepare-text.ts";
import { builtInScorers, type ScorerName } from "./built-in-scorers.ts";
import type { GivenScore } from "./scorer.ts";

/** Texts and the names of the scores that compare them: plain data, so that another thread can do the work. */
export interface LexicalQuestion {
  readonly reply: string;
  readonly references: readonly string[];
  readonly scorers: readonly ScorerName[];
}

/** Compares long texts elsewhere. Null for those that are best compared where they are, in the forms that are made already. */
export type LexicalScorer = (question: LexicalQuestion) => Promise<readonly GivenScore[]> | null;

/** Compares a reply with its references. The same wherever it runs. */
export function lexicalScores({ reply, references, scorers }: LexicalQuestion): readonly GivenScore[] {
  const input = {
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set<string>(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  };
  return scorers.flatMap((name) => builtInScorers[name](input));
}
