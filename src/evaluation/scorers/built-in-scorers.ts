import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Score } from "../../contract/schemas/score.ts";
import { prepareText } from "../text/prepare-text.ts";
import { chrf } from "./chrf.ts";
import { editSimilarity } from "./edit-similarity.ts";
import { exactMatch } from "./exact-match.ts";
import { metadataMatch } from "./metadata-match.ts";
import { rougeL } from "./rouge-l.ts";
import type { GivenScore, Scorer } from "./scorer.ts";
import { tokenF1 } from "./token-f1.ts";
import { wordRecall } from "./word-recall.ts";

/** The built-in scorers by name. `success` and `overall` are computed for every run. */
export const builtInScorers = {
  exact_match: exactMatch(),
  token_f1: tokenF1(),
  rouge_l: rougeL(),
  edit_similarity: editSimilarity(),
  chrf: chrf(),
  word_recall: wordRecall(),
  metadata_match: metadataMatch(),
} as const satisfies Record<string, Scorer>;

/** Names a request may list; `semantic_similarity` needs an embedder. */
export const scorerNames: readonly string[] = [...Object.keys(builtInScorers), "semantic_similarity"];

export function isBuiltIn(name: string): name is ScorerName {
  return Object.hasOwn(builtInScorers, name);
}

export type ScorerName = keyof typeof builtInScorers;

/** The scorers of a run that names none. */
export const defaultScorers: readonly ScorerName[] = [
  "exact_match",
  "token_f1",
  "rouge_l",
  "chrf",
  "word_recall",
  "metadata_match",
];

/** 1 when the endpoint replied, else 0; its average is the success rate. The only score of a failed reply. */
export function success({ error }: Pick<StoredReply, "error">): Score & { value: number; reason: string } {
  if (error) return { name: "success", value: 0, reason: `no usable reply: ${error.code}` };
  return { name: "success", value: 1, reason: "the endpoint replied" };
}

/** A comparison as plain data, so that another thread can do it. */
export interface LexicalTask {
  readonly reply: string;
  readonly references: readonly string[];
  readonly scorers: readonly ScorerName[];
}

/** Compares long texts on another thread; null for short ones, which are compared in place with their prepared forms. */
export type LexicalScorer = (task: LexicalTask) => Promise<readonly GivenScore[]> | null;

/** Runs the named scorers, on any thread. */
export function lexicalScores({ reply, references, scorers }: LexicalTask): readonly GivenScore[] {
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
