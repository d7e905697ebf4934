import type { Judgement, ScorerInput } from "../scorer.ts";

/** Judges a reply by settings the caller gave. Pure, and never throws. */
export type Check = (input: ScorerInput) => Judgement;
