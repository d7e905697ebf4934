import { bestReference, type PairScorer, type Scorer } from "./scorer.ts";

/** The parts that a turn must have for a score to exist. `short_reference`: all its references have at most five words. */
export type ScoreNeed = "reference" | "short_reference" | "labels" | "embedder" | "sources" | "calls" | "context";

/** The facts of a score by its name, as plain data: lists, pages, documents and rules are made from it. */
export interface ScoreFacts<Name extends string = string> {
  readonly name: Name;
  /** For people. Default: the name, with spaces. */
  readonly label?: string;
  /** The measured quality, in a few words. */
  readonly help?: string;
  /** Where tables show it. Default: among replies and labels. */
  readonly group?: "calls" | "outcome";
  /** Says how close a reply is to a reference, not whether it is right. */
  readonly similarity?: true;
  /** Always 0 or 1. */
  readonly binary?: true;
  /** A judge gives it. */
  readonly judge?: true;
  /** A statement of the scenario: below 1, the turn has failed. */
  readonly states?: true;
  /**
   * The reply part of `overall` is the mean of the measured scores with the smallest rank. Semantic scores outrank lexical ones.
   */
  readonly replyRank?: number;
  /** Where this other score is 1, it takes the place of this one in `overall`. */
  readonly yieldsTo?: string;
}

/** A score that a request may name. */
export interface NamedScore<Name extends string = string> extends ScoreFacts<Name> {
  readonly help: string;
  /** Part of the set of a run that names no scorers. */
  readonly byDefault?: true;
  readonly needs: readonly ScoreNeed[];
}

export interface ScorerEntry<Name extends string = string> extends NamedScore<Name> {
  readonly score: Scorer;
  /** Reads the conversation besides the texts of the turn. */
  readonly ofTurn?: true;
  /** Set for the metrics of the check `similarity`. */
  readonly metric?: true;
}

/** Declares a scorer: its words, its rules and its behaviour, which is `score`, or `compare` with each reference. */
export function defineScorer<const Name extends string>(
  entry: Omit<ScorerEntry<Name>, "score"> & ({ readonly score: Scorer } | { readonly compare: PairScorer }),
): ScorerEntry<Name> {
  return "compare" in entry ? { ...entry, score: bestReference(entry.name, entry.compare) } : entry;
}
