import { isOwnScore, similarityScores, statementScores } from "../../contract/schemas/scores/score-names.ts";
import type { RunTally } from "./run-tally.ts";

/**
 * The meaning of a difference in a score. `closeness`: only how close the replies are to their references, not whether they are right.
 * `mixed`: both, as in an `overall` of similarity and checks.
 */
export type Basis = "closeness" | "mixed" | "verdict";

/** The basis of a score, by the names of the scores that were measured beside it. */
export function basisOf(score: string, names: ReadonlySet<string>): Basis {
  if (similarityScores.has(score)) return "closeness";
  if (score !== "overall" || names.has("judge_correctness") || names.has("judge_rubrics")) return "verdict";
  if (![...names].some((name) => similarityScores.has(name))) return "verdict";
  return [...names].some(decides) ? "mixed" : "closeness";
}

/** True for the parts of `overall` that say whether a reply is right. */
export function decides(name: string): boolean {
  return statementScores.has(name) || isOwnScore(name);
}

/** The names of the scores that the turns of a run have. */
export function scoreNamesOf({ scenarios }: RunTally): ReadonlySet<string> {
  const names = new Set<string>();
  for (const turns of scenarios.values())
    for (const { sums } of turns.values()) for (const name of sums.keys()) names.add(name);
  return names;
}
