import { chrf } from "./chrf.ts";
import { editSimilarity } from "./edit-similarity.ts";
import { exactMatch } from "./exact-match.ts";
import { metadataMatch } from "./metadata-match.ts";
import { rougeL } from "./rouge-l.ts";
import type { Scorer } from "./scorer.ts";
import { tokenF1 } from "./token-f1.ts";

/** Every built-in scorer that compares, under the name of its score. `success` and `overall` are always there. */
export const builtInScorers = {
  exact_match: exactMatch(),
  token_f1: tokenF1(),
  rouge_l: rougeL(),
  edit_similarity: editSimilarity(),
  chrf: chrf(),
  metadata_match: metadataMatch(),
} as const satisfies Record<string, Scorer>;

/** Names a request may list; `semantic_similarity` needs an embedder. */
export const scorerNames: readonly string[] = [...Object.keys(builtInScorers), "semantic_similarity"];

export function isBuiltIn(name: string): name is ScorerName {
  return Object.hasOwn(builtInScorers, name);
}

export type ScorerName = keyof typeof builtInScorers;

/** What a run is scored with unless it asks for something else. */
export const defaultScorers: readonly ScorerName[] = [
  "exact_match",
  "token_f1",
  "rouge_l",
  "edit_similarity",
  "metadata_match",
];
