import type { Judgement, ScorerInput } from "../scorer.ts";

/** Judges a reply by settings the caller gave. Pure. What it cannot judge has no value; it is not meant to throw. */
export type Check = (input: ScorerInput) => Judgement;
