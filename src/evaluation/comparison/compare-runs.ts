import { alpha } from "../../base/numbers.ts";
import type { Verdict } from "../../contract/schemas/comparison.ts";
import { scoringVersion } from "../../contract/schemas/scores/score.ts";
import { overallFirst } from "../../contract/schemas/scores/score-names.ts";
import { detectableEffect, detectableGain, scenariosNeeded } from "../statistics/power.ts";
import { undetectedFailures } from "../statistics/rare-failures.ts";
import { adjustTests } from "../statistics/significance.ts";
import { basisOf, decides } from "./closeness.ts";
import {
  compareScore,
  intervalAt,
  toCloseness,
  toSentence,
  toVerdict,
  type ScenarioPair,
  type ScoreComparison,
} from "./compare-score.ts";
import type { RunTally, TalliedInteraction } from "./run-tally.ts";

export type Comparison =
  | { readonly comparable: false; readonly reason: string; readonly unpaired: RunsInPairs["unpaired"] }
  | {
      readonly comparable: true;
      /** The verdict on `overall`, or on the first score there is. */
      readonly verdict: Verdict;
      readonly sentence: string;
      readonly scores: readonly ScoreComparison[];
      readonly unpaired: RunsInPairs["unpaired"];
    };

interface CompareOptions {
  readonly baseline: RunTally;
  readonly candidate: RunTally;
  /** The smallest difference of interest, for the advice on more scenarios. */
  readonly smallestEffect?: number;
  /** Ids of the runs, for the command that rescores one. */
  readonly ids?: { readonly baseline?: string | undefined; readonly candidate?: string | undefined } | undefined;
  /** Scores that are not comparable between the runs. */
  readonly leaveOut?: ReadonlySet<string>;
  /** Scores that rest on a judge without an audit. */
  readonly unaudited?: ReadonlySet<string>;
}

/**
 * Compares two runs, paired by scenario and interaction; the scenario is the unit of the tests. The result says why runs are
 * not comparable.
 */
export function compareRuns({
  baseline,
  candidate,
  smallestEffect = 0.05,
  ids,
  leaveOut = new Set(),
  unaudited = new Set(),
}: CompareOptions): Comparison {
  const { scores: all, unpaired, interactions } = pairRuns(baseline, candidate);
  const scores = new Map([...all].filter(([name]) => !leaveOut.has(name)));
  const reason = scoresNotCompared({ baseline, candidate, ids, unpaired, interactions, scores: scores.size });
  if (reason !== null) return { comparable: false, reason, unpaired };

  const differences = [...scores].map(([name, pairs]) => compareScore(name, pairs));
  const onlyClose = basisOf("overall", new Set(all.keys())) === "closeness";
  const headlineName = onlyClose && scores.has("outcome") ? "outcome" : "overall";
  const corrections = correctScores(differences, headlineName);
  const measured = differences.map((found) => {
    const { deviation, widest, differences: values, ...difference } = found;
    const corrected = corrections.get(found.name) ?? { p_adjusted: null, level: 1 - alpha, tests: 1 };
    // Detectable effects depend on the correction, hence on the number of scores tested.
    const { p_adjusted, level, tests } = corrected;
    const detectableWith = widest === 1 ? detectableGain : detectableEffect;
    const detectable = deviation ? detectableWith(difference.scenarios, deviation, tests) : null;
    const detectable_effect = detectable !== null && detectable <= widest ? detectable : null;
    const scenarios_needed = deviation ? scenariosNeeded(smallestEffect, deviation, tests, detectableWith) : null;
    const comparison = {
      ...difference,
      ...intervalAt(found, level),
      detectable_effect,
      scenarios_needed,
      p_adjusted,
      adjusted_for: tests,
      verdict: toVerdict(found, corrected),
    };
    return { comparison, undetected: undetectedFailures(values) };
  });
  const compared = measured.map(({ comparison, undetected }): ScoreComparison => {
    const basis = basisOf(comparison.name, new Set(all.keys()));
    const isMoved = measured.some(
      ({ comparison: { name, verdict } }) => decides(name) && verdict === comparison.verdict,
    );
    const says = basis === "closeness" || (basis === "mixed" && !isMoved) ? "closeness" : "verdict";
    const worded = {
      ...comparison,
      verdict: says === "closeness" ? toCloseness(comparison.verdict) : comparison.verdict,
    };
    const audited = !unaudited.has(worded.name);
    const sentence = toSentence(worded, { smallestEffect, says, undetected, audited });
    return audited ? { ...worded, sentence } : { ...worded, sentence, judge_audited: false };
  });
  const names = overallFirst(compared.map(({ name }) => name));
  const ordered = compared.toSorted((left, right) => names.indexOf(left.name) - names.indexOf(right.name));
  const scored = (wanted: string): ScoreComparison | undefined => compared.find(({ name }) => name === wanted);
  const headline = (scored(headlineName) ?? compared[0]) as ScoreComparison;
  return { comparable: true, verdict: headline.verdict, sentence: headline.sentence, scores: ordered, unpaired };
}

type CorrectedTest = ReturnType<typeof adjustTests>[number] & {
  /** Number of tests that the correction allows for. */
  readonly tests: number;
};

/**
 * The tests of all scores in two families: the headline score alone, on which the verdict rests, and the others, corrected for
 * their number (Holm). The headline is the mean of some of the others, so a correction for them would charge it for its parts.
 */
function correctScores(
  differences: readonly { readonly name: string; readonly p: number | null }[],
  headline: string,
): ReadonlyMap<string, CorrectedTest> {
  const families = [
    differences.filter(({ name }) => name === headline),
    differences.filter(({ name }) => name !== headline),
  ];
  const corrected = new Map<string, CorrectedTest>();
  for (const family of families) {
    const tests = family.filter(({ p }) => p !== null).length;
    const adjusted = adjustTests(
      family.map(({ p }) => p),
      alpha,
    );
    for (const [index, test] of adjusted.entries()) corrected.set(family[index]?.name ?? "", { ...test, tests });
  }
  return corrected;
}

const hasCurrentScores = ({ scoring_versions }: RunTally): boolean =>
  [...scoring_versions].every((version) => version === scoringVersion);

function scoresNotCompared({
  baseline,
  candidate,
  ids = {},
  unpaired,
  interactions,
  scores,
}: Pick<CompareOptions, "baseline" | "candidate" | "ids"> &
  Pick<RunsInPairs, "unpaired" | "interactions"> & { scores: number }): string | null {
  if (baseline.scenarios.size === 0) return "The baseline has no interactions.";
  if (candidate.scenarios.size === 0) return "The candidate has no interactions.";
  const versions = new Set([...baseline.scoring_versions, ...candidate.scoring_versions]);
  if (versions.size > 1) {
    const older = (["baseline", "candidate"] as const).filter(
      (role) => !hasCurrentScores({ baseline, candidate }[role]),
    );
    const which = older.map((role) => `the ${role}`).join(" and ");
    const commands = older.flatMap((role) => (ids[role] === undefined ? [] : `rehearsal runs rescore ${ids[role]}`));
    const how = commands.length > 0 ? ` with ${commands.join(" and ")}` : "";
    // A file may hold a run that is not in this store.
    const files =
      commands.length > 0 ? " A results file: rescore its run where it is stored, then export it again." : "";
    return `The runs were scored by different definitions (scoring versions ${[...versions].join(", ")}); rescore ${which}${how}, or make a new run.${files}`;
  }
  if (interactions === 0 && unpaired.changed > 0) {
    return "The runs share interaction ids, but every question or reference differs between them.";
  }
  if (interactions === 0) return "The runs share no scenario and interaction ids.";
  return scores === 0 ? "The interactions the runs share have no score in both." : null;
}

interface RunsInPairs {
  /** Score name → one pair per scenario. */
  readonly scores: ReadonlyMap<string, readonly ScenarioPair[]>;
  readonly unpaired: {
    readonly baseline_only: number;
    readonly candidate_only: number;
    /** Same ids, but a different question or expectation. */
    readonly changed: number;
  };
  readonly interactions: number;
}

/**
 * Pairs two runs by scenario and interaction id. Only interactions with the same content count; conversation scores count only
 * if the whole scenario is the same.
 */
export function pairRuns(
  baseline: RunTally,
  candidate: RunTally,
  valuesOf: (turn: TalliedInteraction) => TalliedInteraction["sums"] = ({ sums }) => sums,
): RunsInPairs {
  const scores = new Map<string, ScenarioPair[]>();
  let interactions = 0;
  let changed = 0;

  for (const [scenario_id, theirs] of baseline.scenarios) {
    const ours = candidate.scenarios.get(scenario_id);
    const sums = new Map<string, { baseline: number; candidate: number; interactions: number }>();
    let same = 0;
    for (const [id, left] of theirs) {
      const right = ours?.get(id);
      if (!right) continue;
      if (left.content !== right.content) changed++;
      else {
        same++;
        addPairs(sums, valuesOf(left), valuesOf(right));
      }
    }
    interactions += same;
    const isSameScenario = same === theirs.size && same === ours?.size;
    for (const [name, sum] of sums) {
      if (!isSameScenario && baseline.conversation_scores.has(name)) continue;
      const pairs = scores.get(name) ?? [];
      scores.set(name, pairs);
      pairs.push({
        scenario_id,
        baseline: sum.baseline / sum.interactions,
        candidate: sum.candidate / sum.interactions,
        interactions: sum.interactions,
      });
    }
  }
  const paired = interactions + changed;
  const unpaired = {
    baseline_only: countInteractions(baseline) - paired,
    candidate_only: countInteractions(candidate) - paired,
    changed,
  };
  return { scores, unpaired, interactions };
}

function addPairs(
  sums: Map<string, { baseline: number; candidate: number; interactions: number }>,
  left: TalliedInteraction["sums"],
  right: TalliedInteraction["sums"],
): void {
  for (const [name, baseline] of left) {
    const candidate = right.get(name);
    if (!candidate) continue;
    const sum = sums.get(name) ?? { baseline: 0, candidate: 0, interactions: 0 };
    sums.set(name, {
      baseline: sum.baseline + baseline.sum / baseline.count,
      candidate: sum.candidate + candidate.sum / candidate.count,
      interactions: sum.interactions + 1,
    });
  }
}

function countInteractions({ scenarios }: RunTally): number {
  let count = 0;
  for (const interactions of scenarios.values()) count += interactions.size;
  return count;
}
