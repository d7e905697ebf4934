import type { Verdict } from "../../contract/schemas/comparison.ts";
import { scoringVersion } from "../../contract/schemas/score.ts";
import { detectableEffect, scenariosNeeded } from "../statistics/power.ts";
import { adjustedPs } from "./adjusted-ps.ts";
import { compareScore } from "./compare-score.ts";
import { pairRuns, type PairedRuns } from "./pair-runs.ts";
import type { RunTally } from "./run-tally.ts";
import type { ScoreComparison } from "./score-comparison.ts";
import { toSentence, toVerdict } from "./verdict.ts";

export type Comparison =
  | { readonly comparable: false; readonly reason: string; readonly unpaired: PairedRuns["unpaired"] }
  | {
      readonly comparable: true;
      /** The verdict on `overall`, or on the first score there is. */
      readonly verdict: Verdict;
      readonly sentence: string;
      readonly scores: readonly ScoreComparison[];
      readonly unpaired: PairedRuns["unpaired"];
    };

interface CompareOptions {
  readonly baseline: RunTally;
  readonly candidate: RunTally;
  /** The smallest difference worth knowing about: what the advice on more scenarios is for. */
  readonly smallestEffect?: number;
  /** Scores that do not mean the same in both runs: left out. */
  readonly leaveOut?: ReadonlySet<string>;
}

/**
 * Compares two runs, paired by scenario and interaction, with the scenario as the unit that counts.
 * Runs that cannot be compared are refused with the reason.
 */
export function compareRuns({
  baseline,
  candidate,
  smallestEffect = 0.05,
  leaveOut = new Set(),
}: CompareOptions): Comparison {
  const { scores: all, unpaired, interactions } = pairRuns(baseline, candidate);
  const scores = new Map([...all].filter(([name]) => !leaveOut.has(name)));
  const reason = whyNot({ baseline, candidate, unpaired, interactions, scores: scores.size });
  if (reason !== null) return { comparable: false, reason, unpaired };

  const differences = [...scores].map(([name, pairs]) => compareScore(name, pairs));
  const adjusted = adjustedPs(differences.map(({ p }) => p));
  // What can be seen is what passes the correction, so it goes by the number of scores that take part in it.
  const tests = adjusted.filter((p) => p !== null).length;
  const compared = differences.map(({ deviation, widest, ...difference }, index): ScoreComparison => {
    const p_adjusted = adjusted[index] ?? null;
    const detectable = deviation ? detectableEffect(difference.scenarios, deviation, tests) : null;
    const detectable_effect = detectable !== null && detectable <= widest ? detectable : null;
    const scenarios_needed = deviation ? scenariosNeeded(smallestEffect, deviation, tests) : null;
    const verdict = toVerdict(difference, p_adjusted);
    const told = { ...difference, detectable_effect, scenarios_needed, p_adjusted, verdict };
    return { ...told, sentence: toSentence(told, smallestEffect) };
  });
  const headline = (compared.find(({ name }) => name === "overall") ?? compared[0]) as ScoreComparison;
  return { comparable: true, verdict: headline.verdict, sentence: headline.sentence, scores: compared, unpaired };
}

const isScoredAsNow = ({ scoring_versions }: RunTally): boolean =>
  [...scoring_versions].every((version) => version === scoringVersion);

function whyNot({
  baseline,
  candidate,
  unpaired,
  interactions,
  scores,
}: Pick<CompareOptions, "baseline" | "candidate"> &
  Pick<PairedRuns, "unpaired" | "interactions"> & { scores: number }): string | null {
  if (baseline.scenarios.size === 0) return "The baseline has no interactions.";
  if (candidate.scenarios.size === 0) return "The candidate has no interactions.";
  const versions = new Set([...baseline.scoring_versions, ...candidate.scoring_versions]);
  if (versions.size > 1) {
    const older = Object.entries({ baseline, candidate }).filter(([, run]) => !isScoredAsNow(run));
    const which = older.map(([role]) => `the ${role}`).join(" and ");
    return `The runs were scored by different definitions (scoring versions ${[...versions].join(", ")}); rescore ${which}, or make a new run.`;
  }
  if (interactions === 0 && unpaired.changed > 0) {
    return "The runs share interaction ids, but every question or reference differs between them.";
  }
  if (interactions === 0) return "The runs share no scenario and interaction ids.";
  return scores === 0 ? "The interactions the runs share have no score in both." : null;
}
