import { passRateMeasure } from "../../contract/schemas/margins.ts";
import type { RunSequence } from "../../contract/schemas/sequence.ts";
import { signedText } from "../format.ts";
import { followSequence, type Sequence, type SequenceUnit } from "../statistics/sequence.ts";
import { pairRuns } from "./compare-runs.ts";
import { passRatePairs } from "./not-worse.ts";
import type { RunTally } from "./run-tally.ts";

interface SequenceSides {
  readonly candidate: RunTally;
  /** The other side: the scores of a run, or a threshold. */
  readonly against: RunTally | number;
  readonly score: string;
  /** Minimum `overall` of an attempt that passes, for `pass_rate`. */
  readonly passThreshold: number;
  /** The ids of all scenarios in the random order of the run. */
  readonly order: readonly string[];
  /** How many of them, from the first on, are complete on both sides. */
  readonly complete: number;
  readonly margin: number | null;
  /** False leaves out the points on the way. */
  readonly trace?: boolean;
}

/** The figures of a comparison that stops when it is decided, before it is known why it stopped. */
interface ComparedSequence extends Sequence {
  readonly left_out: number;
}

/**
 * Compares the scenarios that are complete, strictly in their random order: a scenario that ends early because it is easy must
 * not count before a slow one that comes first. The same stored scores always give the same verdict.
 */
export function compareSequence(sides: SequenceSides): ComparedSequence {
  const { order, complete, margin, against, trace = true } = sides;
  const units = unitsOf(sides);
  const reached = order.slice(0, complete);
  const counted = reached.flatMap((id) => units.get(id) ?? []);
  const scale = typeof against === "number" ? { lowest: -against, highest: 1 - against } : {};
  const sequence = followSequence(counted, { planned: order.length, ...scale, margin: margin ?? undefined, trace });
  return { ...sequence, left_out: reached.length - counted.length };
}

/** The difference of each scenario that has the score on both sides. */
function unitsOf({ candidate, against, score, passThreshold }: SequenceSides): ReadonlyMap<string, SequenceUnit> {
  const baseline = typeof against === "number" ? candidate : against;
  const pairs =
    score === passRateMeasure
      ? passRatePairs(baseline, candidate, passThreshold)
      : (pairRuns(baseline, candidate).scores.get(score) ?? []);
  return new Map(
    pairs.map((pair) => {
      const other = typeof against === "number" ? against : pair.baseline;
      const fractional =
        score !== passRateMeasure && [baseline, candidate].some((run) => isFractional(run, pair, score));
      return [pair.scenario_id, { difference: pair.candidate - other, fractional }];
    }),
  );
}

function isFractional({ scenarios }: RunTally, { scenario_id }: { scenario_id: string }, score: string): boolean {
  return (scenarios.get(scenario_id)?.values() ?? [][Symbol.iterator]()).some(
    ({ sums }) => sums.get(score)?.fractional ?? false,
  );
}

type Told = Pick<
  RunSequence,
  "score" | "margin" | "verdict" | "stopped_by" | "scenarios" | "planned" | "effect" | "lower" | "upper" | "threshold"
>;

/** One sentence: the verdict with its figures, and why the comparison stopped. */
export function sequenceSentence(told: Told): string {
  const { score, margin, verdict, stopped_by, scenarios, planned, effect, lower, upper, threshold } = told;
  const other = threshold === null ? "" : ` than ${threshold}`;
  const count = `${scenarios} of ${planned} ${planned === 1 ? "scenario" : "scenarios"}`;
  if (effect === null || lower === null || upper === null)
    return stopped_by === null
      ? `${score}: no scenario is complete yet.`
      : `${score} is undecided: no scenario is complete on both sides.`;
  const seen = `${signedText(effect)} (95 %: ${signedText(lower)} to ${signedText(upper)})`;
  switch (verdict) {
    case "better":
    case "worse": {
      const word = threshold === null ? verdict : verdict === "better" ? "higher" : "lower";
      return `Decided after ${count}: ${score} is ${word}${other}, ${seen}.`;
    }
    case "not_worse":
      return `Decided after ${count}: ${score} is not worse by ${margin}${threshold === null ? "" : ` than ${threshold}`}, ${seen}.`;
    case "undecided":
      return stopped_by === null
        ? `Not decided after ${count}: ${score} ${seen}.`
        : `Undecided: ${reasonText(stopped_by)} after ${count}. ${score} ${seen}.${neededText(told)}`;
  }
}

function reasonText(stopped: NonNullable<RunSequence["stopped_by"]>): string {
  switch (stopped) {
    case "budget":
      return "the budget was spent";
    case "cancelled":
      return "the run was cancelled";
    default:
      return "the scenarios ran out";
  }
}

/** The interval narrows like 1 / √n, or a little faster: it excludes the distance once it is as narrow. */
function neededText({ scenarios, effect, lower, upper, stopped_by, margin }: Told): string {
  if (stopped_by !== "scenarios" || effect === null || lower === null || upper === null || scenarios < 10) return "";
  const distance = Math.max(Math.abs(effect), margin === null ? 0 : effect + margin);
  const half = (upper - lower) / 2;
  if (distance < half / 20) return " Far more scenarios, or a margin, are needed to decide it.";
  const needed = Math.max(scenarios + 1, Math.ceil(scenarios * (half / distance) ** 2));
  return ` If the difference is as seen, about ${needed} scenarios would decide it.`;
}
