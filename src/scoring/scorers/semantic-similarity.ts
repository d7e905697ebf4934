import type { NamedScore } from "./define-scorer.ts";
import type { GivenScore } from "./scorer.ts";

/** Computed with an embedder, by the function that `createSemanticScorer` makes for a run. */
export const semanticSimilarity = {
  name: "semantic_similarity",
  help: "the same meaning; needs an embedder",
  needs: ["reference", "embedder"],
  similarity: true,
  replyRank: 3,
} as const satisfies NamedScore;

/** The cosine behind a semantic score. */
interface SemanticBasis {
  readonly cosine: number;
  /** The mean cosine of unrelated references, which counts as 0. */
  readonly baseline: number;
  readonly embedder: string;
}

export interface SemanticScore {
  readonly score: GivenScore;
  readonly details?: SemanticBasis;
}

export interface SemanticInput {
  readonly reply: string;
  readonly references: readonly string[];
}

/** Scores how similar in meaning a reply is to the best of its references. */
export type SemanticScorer = (input: SemanticInput, signal: AbortSignal) => Promise<SemanticScore>;
