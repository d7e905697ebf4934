import { formatFigure } from "../../../base/numbers.ts";
import type { ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import { reservedPrefixes, reservedScores } from "../../../contract/schemas/score-names.ts";
import type { ScoreStats } from "../../../contract/schemas/score.ts";

export const scoreText = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : formatFigure(value);

type Mean = number | null | undefined;

/** A mean with its 95 % interval, if there is one. */
export function meanText(stats: ScoreStats | undefined, mean: Mean = stats?.mean): string {
  const ends = endsOf(stats);
  if (typeof mean !== "number" || !ends) return scoreText(mean);
  return `${scoreText(mean)} [${scoreText(ends.lower)}, ${scoreText(ends.upper)}]`;
}

/** A mean with its margin (±), or with its interval if that is asymmetric beyond rounding. */
export function meanWithMargin(stats: ScoreStats | undefined, mean: Mean = stats?.mean): string {
  const ends = endsOf(stats);
  if (typeof mean !== "number" || !ends) return scoreText(mean);
  const { lower, upper } = ends;
  const isEven = Math.abs(upper - mean - (mean - lower)) < 0.001;
  return isEven ? `${scoreText(mean)} ± ${scoreText((upper - lower) / 2)}` : meanText(stats, mean);
}

function endsOf(stats: ScoreStats | undefined): { lower: number; upper: number } | null {
  if (!stats || stats.ci_lower === null || stats.ci_upper === null) return null;
  return { lower: stats.ci_lower, upper: stats.ci_upper };
}

/** The reasons why the user's own checks and scorers gave 0. Built-in scores explain themselves by their values. */
export function missedChecks({ scores, score_reasons }: InteractionResult): string[] {
  const isOurs = (name: string): boolean =>
    reservedScores.has(name) || reservedPrefixes.some((start) => name.startsWith(start));
  return Object.entries(scores)
    .filter(([name, value]) => value === 0 && !isOurs(name))
    .map(([name]) => `${name}: ${score_reasons[name] ?? "0"}`);
}

/** The scores whose judge has not passed an audit. */
export function unauditedScores(scenarios: Iterable<ScenarioResult>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { attempts } of scenarios) {
    for (const { interactions, conversation } of attempts) {
      for (const { judgements } of [...interactions, ...(conversation ? [conversation] : [])]) {
        for (const [name, { judge_audited }] of Object.entries(judgements ?? {})) {
          if (judge_audited) continue;
          names.add(name);
          for (const kind of ["judge", "conversation"]) if (name.startsWith(`${kind}.`)) names.add(`${kind}_rubrics`);
        }
      }
    }
  }
  return names;
}

/** Stands beside every score of a judge that has not been audited. */
export const unauditedMark = "judge not audited";

/**
 * Removes characters that XML 1.0 and terminals cannot take: control characters except tab and line breaks, unpaired surrogates, non-
 * characters.
 */
export function stripControlCharacters(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\P{Cc}]|[\uFFFE\uFFFF]/gu, "");
}
