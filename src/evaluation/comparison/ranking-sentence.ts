import { figureText } from "../../base/numbers.ts";
import { signed } from "../signed.ts";
import { allRuns } from "./all-runs.ts";
import { pText } from "./p-text.ts";
import { smallestEffect, type RankedScore, type ScoreRanking } from "./rank-score.ts";

/** Who is best, as a sentence for someone who does not know the terms. `titles` are the runs' in the order that was ranked. */
export function rankingSentence(score: string, ranking: ScoreRanking, titles: readonly string[]): string {
  const { runs, scenarios } = ranking;
  const [first, second] = runs;
  const titleOf = ({ run }: RankedScore): string => titles[run] ?? `run ${run + 1}`;
  if (!first || !second) return "There is nothing to choose from.";
  if (scenarios < 2) return `One scenario cannot tell which of the ${runs.length} runs has the better ${score}.`;
  const leading = runs.filter(({ place }) => place !== "behind");
  const behind = runs.filter(({ place }) => place === "behind");
  if (first.place === "best")
    return `${titleOf(first)} has the best ${score}, ${lead(first, second, titleOf(second))}.`;
  if (behind.length === 0) return nothingSeen(score, ranking);
  const open = list(leading.map((run) => `${titleOf(run)} (${figureText(run.mean)})`));
  const shown = `${list(behind.map(titleOf))} ${behind.length === 1 ? "is" : "are"} shown to be worse`;
  if (leading.length === 1) return `No run is shown to have a better ${score} than ${open}; ${shown} than another.`;
  return `Which of ${open} has the best ${score} cannot be told; ${shown}.${whatItTakes(ranking)}`;
}

function lead(first: RankedScore, { to_first }: RankedScore, next: string): string {
  if (!to_first) return figureText(first.mean);
  const { effect, ci_lower, ci_upper, p_adjusted } = to_first;
  const range =
    ci_lower === null || ci_upper === null ? "" : `95 % interval ${signed(-ci_upper)} to ${signed(-ci_lower)}, `;
  return `${figureText(first.mean)}: ${figureText(-effect)} more than ${next}, the next (${range}p ${pText(p_adjusted ?? 1)})`;
}

function nothingSeen(score: string, ranking: ScoreRanking): string {
  const { runs, scenarios } = ranking;
  if (runs.every(({ to_first }) => (to_first?.effect ?? 0) === 0 && to_first?.p_adjusted == null))
    return `${score} is the same in ${allRuns(runs.length)}.`;
  return `No difference in ${score} between the ${runs.length} runs can be seen in ${scenarios} scenarios.${whatItTakes(ranking)}`;
}

function whatItTakes({ scenarios, scenarios_needed }: ScoreRanking): string {
  if (scenarios_needed === null || scenarios_needed <= scenarios) return "";
  const more = scenarios_needed - scenarios;
  return ` About ${more} more ${more === 1 ? "scenario" : "scenarios"} would show a difference of ${smallestEffect} between the first two.`;
}

/** "a", "a and b", "a, b and c". */
function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
