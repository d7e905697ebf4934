import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { reservedPrefixes, reservedScores } from "../../contract/schemas/score-names.ts";

/** Why the checks and scorers of the user's own gave nothing; what our scores mean is told by their values. */
export function missedChecks({ scores, score_reasons }: InteractionResult): string[] {
  const isOurs = (name: string): boolean =>
    reservedScores.has(name) || reservedPrefixes.some((start) => name.startsWith(start));
  return Object.entries(scores)
    .filter(([name, value]) => value === 0 && !isOurs(name))
    .map(([name]) => `${name}: ${score_reasons[name] ?? "0"}`);
}
