import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import { passRateMeasure } from "../../contract/schemas/margins.ts";
import type { RunSequence } from "../../contract/schemas/sequence.ts";
import { signedText } from "../../base/format.ts";
import { undetectedFailures } from "../statistics/rare-failures.ts";
import { undetectedText } from "./compare-score.ts";
import { followSequence, type Sequence, type SequenceUnit } from "../statistics/sequence.ts";
import { basisOf, scoreNamesOf } from "./closeness.ts";
import { meansForDecision, missingText, type MissingReplies } from "./decision-pairs.ts";
import { pairsOf, passRates } from "./not-worse.ts";
import type { RunTally } from "./run-tally.ts";

interface SequenceSides {
  readonly candidate: RunTally;
  /** The other side: the scores of a run, or a threshold. */
  readonly against: RunTally | number;
  readonly score: string;
  /** Minimum `overall` of an attempt that passes, for `pass_rate`. */
  readonly passThreshold: number | undefined;
  /** The ids of all scenarios in the random order of the run. */
  readonly order: readonly string[];
  /** How many of them, from the first on, are complete on both sides. */
  readonly complete: number;
  readonly margin: number | null;
  /** Comparisons that must all be right at once. Default 1. */
  readonly comparisons?: number | undefined;
  /** `false` omits intermediate points. */
  readonly trace?: boolean;
}

/** The figures of a comparison that stops when it is decided, before it is known why it stopped. */
export interface ComparedSequence extends Omit<Sequence, "reads" | "verdict" | "assumesSpread"> {
  readonly verdict: SequenceVerdict;
  readonly left_out: number;
  readonly missing: MissingReplies;
  /** The share of complete failures that the verdict does not exclude; null when it holds for any distribution. */
  readonly undetected: number | null;
}

type SequenceVerdict = RunSequence["verdict"] | null;

/**
 * Compares the scenarios that are complete, strictly in their random order: a scenario that ends early because it is easy must
 * not count before a slow one that comes first. The same stored scores always give the same verdict.
 */
export function compareSequence(sides: SequenceSides): ComparedSequence {
  const { order, complete, margin, against, comparisons, trace = true } = sides;
  const reached = order.slice(0, complete);
  const { units } = differencesOf(sides, new Set(reached));
  const counted = reached.filter((id) => units.has(id));
  const scale = typeof against === "number" ? { lowest: -against, highest: 1 - against, anyDistribution: true } : {};
  const { reads, assumesSpread, ...sequence } = followSequence(
    counted.map((id) => units.get(id) as SequenceUnit),
    { planned: order.length, ...scale, margin: margin ?? undefined, comparisons, trace },
  );
  // Replies that are missing after the scenario that decided change nothing.
  const last = sequence.verdict === null ? reached.length : reached.indexOf(counted[reads - 1] ?? "") + 1;
  const read = differencesOf(sides, new Set(reached.slice(0, last)));
  const differences = [...read.units.values()].flatMap(({ difference }) => difference ?? []);
  return {
    ...sequence,
    verdict: worded(sequence.verdict, sides),
    left_out: last - sequence.scenarios,
    missing: read.missing,
    undetected: assumesSpread ? undetectedFailures(differences) : null,
  };
}

/** Similarity to references says which run is closer to them, not which is better. A threshold is the user's own. */
function worded(verdict: Sequence["verdict"], { candidate, against, score, margin }: SequenceSides): SequenceVerdict {
  if (typeof against === "number" || (verdict !== "better" && verdict !== "worse")) return verdict;
  if (basisOf(score, scoreNamesOf(candidate)) !== "closeness") return verdict;
  if (verdict === "worse") return "less_close";
  return margin === null ? "closer" : "not_worse";
}

interface Differences {
  /** Of each scenario that at least one end of the interval can count. */
  readonly units: ReadonlyMap<string, SequenceUnit>;
  readonly missing: MissingReplies;
}

/** The differences of scenarios, with 0 for a missing reply. */
function differencesOf(
  { candidate, against, score, passThreshold }: SequenceSides,
  scenarios: ReadonlySet<string>,
): Differences {
  const reduced = (tally: RunTally): RunTally => ({
    ...tally,
    scenarios: new Map([...tally.scenarios].filter(([id]) => scenarios.has(id))),
  });
  const run = reduced(candidate);
  const other = typeof against === "number" ? run : reduced(against);
  const sides = { baseline: other, candidate: run, threshold: passThreshold };
  const fractional = (id: string): boolean =>
    score !== passRateMeasure && [run, other].some((tally) => isFractional(tally, id, score));
  if (typeof against === "number") {
    const { means, missing } = score === passRateMeasure ? passRates(run, passThreshold) : meansForDecision(run, score);
    const units = [...means].map(
      ([id, mean]) => [id, { difference: mean - against, fractional: fractional(id) }] as const,
    );
    return { units: new Map(units), missing: { candidate: missing, baseline: 0, unscored: 0 } };
  }
  const { strict, even, missing } = pairsOf(score, sides);
  const counted = new Map(strict.map((pair) => [pair.scenario_id, pair.candidate - pair.baseline]));
  const units = new Map(
    even.map((pair) => [
      pair.scenario_id,
      {
        difference: counted.get(pair.scenario_id) ?? null,
        most: pair.candidate - pair.baseline,
        fractional: fractional(pair.scenario_id),
      },
    ]),
  );
  return { units, missing };
}

function isFractional({ scenarios }: RunTally, scenario_id: string, score: string): boolean {
  return (scenarios.get(scenario_id)?.values() ?? [][Symbol.iterator]()).some(
    ({ sums }) => sums.get(score)?.fractional ?? false,
  );
}

type Told = Pick<
  RunSequence,
  "score" | "margin" | "verdict" | "stopped_by" | "scenarios" | "planned" | "effect" | "lower" | "upper" | "threshold"
> &
  Partial<Pick<RunSequence, "left_out" | "missing_as_zero" | "bound" | "undetected_failures" | "beaten_by">> & {
    /** False when the score rests on a judge without an audit. */
    readonly audited?: boolean;
  };

/** The verdict with its figures, why the comparison stopped, and what is missing. */
export const sequenceSentence = (told: Told): string =>
  verdictSentence(told) + undetectedSentence(told) + missingSentences(told);

const undetectedSentence = ({ scenarios, undetected_failures: rate }: Told): string =>
  rate === undefined ? "" : ` ${undetectedText(scenarios, rate)}.`;

function missingSentences({ left_out = 0, missing_as_zero = 0 }: Told): string {
  const zeros = missingText({ candidate: missing_as_zero, baseline: 0, unscored: 0 });
  if (left_out === 0) return zeros;
  const scenarios = left_out === 1 ? "1 scenario" : `${left_out} scenarios`;
  return `${zeros} Left out: ${scenarios} without a reply of the baseline, or without the score on both sides.`;
}

function verdictSentence(told: Told): string {
  const { margin, verdict, stopped_by, scenarios, planned, effect, lower, upper, threshold, audited = true } = told;
  const score = audited ? told.score : `${told.score} (${unauditedMark})`;
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
    case "closer":
    case "less_close": {
      const words = `${verdict === "closer" ? "closer" : "less close"} to the references`;
      return `Decided after ${count}: ${score} is ${words}, ${seen}. That does not say which run is right more often.`;
    }
    case "not_worse": {
      const end = told.bound ?? lower;
      return `Decided after ${count}: ${score} is not worse by ${margin}${other}, ${signedText(effect)} (with 95 % confidence at least ${signedText(end)}).`;
    }
    case "undecided":
      return stopped_by === null
        ? `Not decided after ${count}: ${score} ${seen}.`
        : `Undecided: ${reasonText(stopped_by, told.beaten_by)} after ${count}. ${score} ${seen}.${neededText(told)}`;
  }
}

function reasonText(stopped: NonNullable<RunSequence["stopped_by"]>, beaten_by: string | undefined): string {
  switch (stopped) {
    case "decided":
      return beaten_by === undefined ? "no comparison was left" : `${beaten_by} was shown to be better`;
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
