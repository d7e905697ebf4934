import { formatFigure } from "../../../base/numbers.ts";
import { unauditedScoresOf } from "../../../contract/schemas/judging/unaudited.ts";
import type { ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import { howToJudge, notJudgedText } from "../../../contract/schemas/outcome.ts";
import { isOwnScore } from "../../../contract/schemas/scores/score-names.ts";
import type { ScoreStats } from "../../../contract/schemas/scores/score.ts";

export const scoreText = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : formatFigure(value);

type Mean = number | null | undefined;

/** A mean with its 95 % interval, if there is one. */
export function meanText(stats: ScoreStats | undefined, mean: Mean = stats?.mean): string {
  const ends = reportEnds(stats);
  if (typeof mean !== "number" || !ends) return scoreText(mean);
  return `${scoreText(mean)} [${scoreText(ends.lower)}, ${scoreText(ends.upper)}]`;
}

/** A mean with its margin (±), or with its interval if that is asymmetric beyond rounding. */
export function meanWithMargin(stats: ScoreStats | undefined, mean: Mean = stats?.mean): string {
  const ends = reportEnds(stats);
  if (typeof mean !== "number" || !ends) return scoreText(mean);
  const { lower, upper } = ends;
  const isEven = Math.abs(upper - mean - (mean - lower)) < 0.001;
  return isEven ? `${scoreText(mean)} ± ${scoreText((upper - lower) / 2)}` : meanText(stats, mean);
}

function reportEnds(stats: ScoreStats | undefined): { lower: number; upper: number } | null {
  if (!stats || stats.ci_lower === null || stats.ci_upper === null) return null;
  return { lower: stats.ci_lower, upper: stats.ci_upper };
}

/** The reasons why the user's own checks and scorers gave 0. Built-in scores explain themselves by their values. */
export function missedChecks({ scores, score_reasons }: InteractionResult): string[] {
  return Object.entries(scores)
    .filter(([name, value]) => value === 0 && isOwnScore(name))
    .map(([name]) => `${name}: ${score_reasons[name] ?? "0"}`);
}

/** Statements of a scenario that could not be decided, with the reasons. */
export function undecidedStatements({ attempts }: ScenarioResult): readonly string[] {
  const open = attempts.flatMap(({ interactions, outcome }) => [
    ...interactions.flatMap((turn) =>
      Object.entries(turn.stated ?? {}).flatMap(([name, held]) => (held === null ? whyUndecided(turn, name) : [])),
    ),
    ...(outcome?.parts ?? []).flatMap(({ name, passed, reason }) =>
      passed === null ? `outcome.${name}: ${reason}` : [],
    ),
  ]);
  return [...new Set(open)].slice(0, 3);
}

function whyUndecided({ score_reasons, label_sources }: InteractionResult, name: string): string {
  const isGuess = label_sources[name.replace(/^metadata\./, "")]?.source === "local" && name.startsWith("metadata.");
  return `${name}: ${isGuess ? "only guessed by the built-in labeller; name a labeller" : (score_reasons[name] ?? "no value")}`;
}

/** Why a scenario has no verdict: a statement that could not be decided, or replies with nothing but references. */
export function whyNotJudged(result: ScenarioResult): string {
  const open = undecidedStatements(result);
  const why = open.length === 0 ? howToJudge : `Undecided: ${open.join("; ")}`;
  return `${notJudgedText(result.average_scores)}. ${why}.`;
}

/** The scores that rest on a judge without an audit. */
export function unauditedScores(scenarios: Iterable<ScenarioResult>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { attempts } of scenarios) {
    for (const { interactions, conversation } of attempts) {
      for (const judged of [...interactions, ...(conversation ? [conversation] : [])])
        for (const name of unauditedScoresOf(judged)) names.add(name);
    }
  }
  return names;
}

/**
 * Removes characters that XML 1.0 and terminals cannot take: control characters except tab and line breaks, unpaired surrogates, non-
 * characters.
 */
export function stripControlCharacters(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\P{Cc}]|[\uFFFE\uFFFF]/gu, "");
}
