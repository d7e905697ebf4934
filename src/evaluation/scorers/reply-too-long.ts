import type { Judgement } from "./scorer.ts";

/** Steps of a comparison that still take less than a second; beyond, one score would hold up everything else. */
const maximumSteps = 4e9;
/** Steps of all comparisons of one reply for one score: some seconds. */
const maximumTogether = 1e11;
/** Making a text ready for a comparison takes as long as so many steps for each of its characters or words. */
const stepsToRead = 300;

/** The two sides of a comparison, and with how many references the reply is compared in all. */
interface Lengths {
  readonly reply: number;
  readonly reference: number;
  readonly references: number;
}

/** Says why a quadratic comparison is left out, or null when both sides are short enough, and the references few enough. */
export function replyTooLong({ reply, reference, references }: Lengths, unit: string): Judgement | null {
  const steps = reply * reference;
  const together = (steps + stepsToRead * (reply + reference)) * references;
  if (steps <= maximumSteps && (references === 1 || together <= maximumTogether)) return null;
  const times = references === 1 ? "" : `, ${references} references`;
  return { value: null, reason: `too long to compare: ${reply} and ${reference} ${unit}${times}`, failed: true };
}
