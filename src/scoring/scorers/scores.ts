import { prepareText } from "../text/prepare-text.ts";
import { chrf } from "./chrf.ts";
import { claimedActions } from "./claimed-actions.ts";
import { contextOverlap } from "./context-overlap.ts";
import type { NamedScore, ScoreFacts, ScorerEntry } from "./define-scorer.ts";
import { editSimilarity } from "./edit-similarity.ts";
import { exactMatch } from "./exact-match.ts";
import { groundedFacts } from "./grounded-facts.ts";
import { metadataMatch } from "./metadata-match.ts";
import { rougeL } from "./rouge-l.ts";
import type { GivenScore, Scorer, TurnFacts } from "./scorer.ts";
import { semanticSimilarity } from "./semantic-similarity.ts";
import { tokenF1 } from "./token-f1.ts";
import { wordRecall } from "./word-recall.ts";

/** The scorers that need no model. */
const scorers = [
  exactMatch,
  tokenF1,
  rougeL,
  editSimilarity,
  chrf,
  wordRecall,
  metadataMatch,
  groundedFacts,
  claimedActions,
  contextOverlap,
] as const;

export type ScorerName = (typeof scorers)[number]["name"];

/** The built-in scorers by name. `success` and `overall` are computed for every run. */
export const builtInScorers = Object.fromEntries(scorers.map(({ name, score }) => [name, score])) as Record<
  ScorerName,
  Scorer
>;

/** Every score that a request may name. */
export const namedScores: readonly NamedScore[] = [...scorers, semanticSimilarity];

export const scorerNames: readonly string[] = namedScores.map(({ name }) => name);

/** Scorers that read the conversation besides the texts of the turn. */
export const turnScorers: ReadonlySet<string> = new Set(
  scorers.flatMap((entry: ScorerEntry) => (entry.ofTurn ? entry.name : [])),
);

export function isBuiltIn(name: string): name is ScorerName {
  return Object.hasOwn(builtInScorers, name);
}

/** The scorers of a run that names none; `semantic_similarity` is added where there is an embedder. */
export const defaultScorers: readonly ScorerName[] = scorers
  .filter(({ byDefault }) => byDefault)
  .map(({ name }) => name);

/** Scores of every run, of judges, of tool calls and of whole attempts. */
const computedScores: readonly ScoreFacts[] = [
  { name: "success", label: "replied", binary: true },
  { name: "overall" },
  { name: "judge_correctness", judge: true, replyRank: 1 },
  { name: "judge_rubrics", judge: true, replyRank: 2 },
  { name: "conversation_quality", judge: true },
  { name: "conversation_rubrics", judge: true },
  { name: "tool_name_f1", label: "tool name F1", group: "calls" },
  { name: "tool_arguments", group: "calls" },
  { name: "tool_order", group: "calls" },
  { name: "tool_match", group: "calls", binary: true, states: true },
  { name: "tool_rules", group: "outcome" },
  { name: "outcome", group: "outcome", binary: true },
  { name: "stated" },
];

/** All built-in scores. */
export const builtInScores: readonly ScoreFacts[] = [...computedScores, ...namedScores];

/** 1 when the endpoint replied, else 0; its average is the success rate. The only score of a failed reply. */
export function success({ error }: { readonly error?: { readonly code: string } | null | undefined }) {
  if (error) return { name: "success", value: 0, reason: `no usable reply: ${error.code}` };
  return { name: "success", value: 1, reason: "the endpoint replied" };
}

/** A comparison as plain data, so that another thread can do it. */
export interface LexicalTask {
  readonly reply: string;
  readonly references: readonly string[];
  readonly scorers: readonly ScorerName[];
  /** For scorers of the whole turn, with the characters of what it has. */
  readonly turn?: { readonly facts: TurnFacts; readonly characters: number } | undefined;
}

/** Compares long texts on another thread; null for short ones, which are compared in place with their prepared forms. */
export type LexicalScorer = (task: LexicalTask) => Promise<readonly GivenScore[]> | null;

/** Runs the named scorers, on any thread. */
export function lexicalScores({ reply, references, scorers: names, turn }: LexicalTask): readonly GivenScore[] {
  const input = {
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set<string>(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
    turn: turn?.facts,
  };
  return names.flatMap((name) => builtInScorers[name](input));
}
