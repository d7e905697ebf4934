import type { PreparedText } from "../text/prepare-text.ts";
import type { Judgement, Scorer } from "./scorer.ts";

/** Compares a reply with one reference. */
type PairScorer = (pair: {
  readonly reply: PreparedText;
  readonly reference: PreparedText;
  /** How many references there are in all. */
  readonly references: number;
}) => Judgement;

/** Turns a comparison with one reference into a scorer that lets the best of all references count. */
export function bestReference(name: string, scorePair: PairScorer): Scorer {
  return ({ reply, references }) => {
    if (references.length === 0) return [{ name, value: null, reason: "no reference reply" }];

    let best: Judgement | undefined;
    let bestIndex = 0;
    for (const [index, reference] of references.entries()) {
      const judgement = scorePair({ reply, reference, references: references.length });
      if (best && (judgement.value ?? -1) <= (best.value ?? -1)) continue;
      best = judgement;
      bestIndex = index;
    }
    const { value, reason, failed } = best as Judgement;
    const which =
      references.length > 1 && value !== null ? ` (reference ${bestIndex + 1} of ${references.length})` : "";
    return [{ name, value, reason: reason + which, ...(failed && { failed }) }];
  };
}
