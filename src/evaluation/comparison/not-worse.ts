import { compact } from "../../base/compact.ts";
import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import { alpha, formatFigure } from "../../base/numbers.ts";
import type { NotWorse, NotWorseMeasure, NotWorseVerdict } from "../../contract/schemas/comparison.ts";
import { callFigures, passRateMeasure, ratioMeasures, type Margins } from "../../contract/schemas/margins.ts";
import { attemptOutcome, expectationScore, type Standing } from "../../contract/schemas/outcome.ts";
import { scoreTitle } from "../../contract/schemas/scores/score-names.ts";
import { signedText } from "../../base/format.ts";
import { mean, standardDeviation } from "../statistics/descriptive.ts";
import {
  minimumScenarios,
  planNotWorse,
  scenariosWithoutLoss,
  spreadOf,
  testNotWorse,
  type Gains,
  type NotWorsePlan,
} from "../statistics/not-worse.ts";
import { undetectedFailures } from "../statistics/rare-failures.ts";
import { hochberg, holm } from "../statistics/significance.ts";
import { basisOf, scoreNamesOf } from "./closeness.ts";
import { pairRuns } from "./compare-runs.ts";
import { chanceOfNoGain, compareScore, undetectedText, type ScenarioPair } from "./compare-score.ts";
import {
  type meansForDecision,
  missingText,
  pairForDecision,
  type DecisionPairs,
  type MissingReplies,
} from "./decision-pairs.ts";
import type { RunTally } from "./run-tally.ts";

/** The scores a tally has to keep by attempt to be compared with these margins. */
export const keptByAttempt = (margins: Margins): ReadonlySet<string> =>
  new Set([...Object.keys(margins), "overall", "success", "outcome", expectationScore, ...conversationScores]);

/** The judge's scores of a whole conversation. */
const conversationScores = ["conversation_quality", "conversation_rubrics"];

interface MarginOptions {
  readonly baseline: RunTally;
  readonly candidate: RunTally;
  readonly margins: Margins;
  /** Scores that are not comparable between the runs. */
  readonly leaveOut?: ReadonlySet<string>;
  /** Scores that rest on a judge without an audit. */
  readonly unaudited?: ReadonlySet<string>;
  /** Minimum `overall` of an attempt that passes; undefined where the statements of the scenarios decide. */
  readonly threshold: number | undefined;
}

/**
 * Tests for each measure whether the candidate is not worse by its margin. The runs as a whole are not worse if every measure is:
 * then no correction is needed. Statements about some of the measures are corrected by Hochberg's method.
 */
export function compareWithMargins(options: MarginOptions): Omit<NotWorse, "next"> {
  const found = Object.entries(options.margins).map(([name, margin]) => toSample(name, margin, options));
  const names = scoreNamesOf(options.candidate);
  const told = (name: string): string => {
    if (options.unaudited?.has(name)) return `${name} (${unauditedMark})`;
    return basisOf(name, names) === "closeness" ? `${name} (closeness to the references)` : name;
  };
  const tested = found.map((sample) => ("reason" in sample ? null : testSample(sample)));
  const adjusted = hochberg(tested.map((test) => test?.p ?? 1));
  const worse = holm(tested.map((test) => (test && test.effect < 0 ? (test.worseP ?? 1) : 1)));
  const measures = found.map((sample, index): NotWorseMeasure => {
    const test = tested[index];
    if ("reason" in sample || !test) return unmeasured(sample, "reason" in sample ? sample.reason : "");
    const p_adjusted = test.p === null ? null : (adjusted[index] ?? 1);
    const verdict = verdictOf(p_adjusted, worse[index] ?? 1);
    const { baseline, candidate, unscored } = sample.missing;
    const measure = compact({
      ...measuredFigures(sample),
      bound: test.bound,
      p: test.p,
      p_adjusted,
      verdict,
      method: test.method,
      missing_as_zero: candidate || undefined,
      missing_in_baseline: baseline || undefined,
      scenarios_left_out: unscored || undefined,
      undetected_failures: verdict === "not_worse" && test.undetected !== null ? test.undetected : undefined,
    });
    // A measure that is enough alone waits for the others.
    const plan = verdict === "undecided" && (test.p ?? 1) > alpha ? planOf(sample) : null;
    const would_decide = plan && { ...plan, cheaper: cheaperOf(plan, sample) };
    return {
      ...measure,
      would_decide,
      sentence: toMarginSentence({ ...measure, name: told(sample.name), would_decide }),
    };
  });
  const verdict = verdictOfAll(measures);
  return { verdict, sentence: sentenceOfAll(verdict, measures, told), family_error: alpha, measures };
}

/** One measure of both runs: a value per scenario. */
interface Sample {
  readonly name: string;
  readonly margin: number;
  readonly kind: NotWorseMeasure["kind"];
  readonly pairs: readonly ScenarioPair[];
  /** The pairs that "worse" rests on: with 0 for missing replies of either side. */
  readonly even: readonly ScenarioPair[];
  readonly missing: MissingReplies;
  readonly binary: boolean;
  readonly attempts: number;
  /** Mean variance between the attempts of a scenario; null when no scenario has two. */
  readonly attemptVariance: { readonly baseline: number; readonly candidate: number } | null;
}

interface Unmeasured {
  readonly name: string;
  readonly margin: number;
  readonly kind: NotWorseMeasure["kind"];
  readonly reason: string;
}

function toSample(
  name: string,
  margin: number,
  { baseline, candidate, leaveOut = new Set(), threshold }: MarginOptions,
): Sample | Unmeasured {
  const kind = ratioMeasures.has(name) ? "ratio" : "difference";
  const about = { name, margin, kind } as const;
  const isLeftOut = leaveOut.has(name) || (name === passRateMeasure && leaveOut.has("overall"));
  if (isLeftOut) return { ...about, reason: "it is measured differently in the two runs" };
  if (name === callFigures.cost && [baseline, candidate].some(isUnpriced))
    return { ...about, reason: "the price of some replies is unknown" };
  const { strict: pairs, even, missing } = pairsOf(name, { baseline, candidate, threshold });
  if (pairs.length === 0) return { ...about, reason: "no shared turn has it in both runs" };
  if (kind === "ratio" && !pairs.some((pair) => pair.baseline > 0))
    return { ...about, reason: "it is 0 in the baseline, so there is no ratio" };
  const valueOf = (tally: RunTally) => attemptValues(tally, name, threshold);
  const values = [baseline, candidate].map(valueOf);
  const variances = values.map(meanVariance);
  const [left, right] = variances;
  return {
    ...about,
    pairs,
    even,
    missing,
    binary:
      name === passRateMeasure ||
      (kind === "difference" && ![baseline, candidate].some((run) => isFractional(run, name))),
    attempts: Math.max(1, Math.round(Math.min(...values.map((lists) => mean(lists.map((list) => list.length)) ?? 1)))),
    attemptVariance:
      left === null || right === null || left === undefined || right === undefined
        ? null
        : { baseline: left, candidate: right },
  };
}

/** The pairs of a measure: latency and cost are those of replies that both runs have. */
export function pairsOf(
  name: string,
  { baseline, candidate, threshold }: Pick<MarginOptions, "baseline" | "candidate" | "threshold">,
): DecisionPairs {
  if (name === passRateMeasure) return passRatePairs(baseline, candidate, threshold);
  if (!ratioMeasures.has(name)) return pairForDecision(baseline, candidate, name);
  const pairs = pairRuns(baseline, candidate, ({ calls }) => calls).scores.get(name) ?? [];
  return { strict: pairs, even: pairs, missing: { baseline: 0, candidate: 0, unscored: 0 } };
}

const isUnpriced = ({ attempts }: RunTally): boolean =>
  attempts.values().some((made) => made.values().some(({ unpriced }) => unpriced > 0));

const isFractional = ({ scenarios }: RunTally, name: string): boolean =>
  scenarios.values().some((turns) => turns.values().some(({ sums }) => sums.get(name)?.fractional ?? false));

/** The value of each attempt, by scenario. */
function attemptValues({ attempts }: RunTally, name: string, threshold: number | undefined): number[][] {
  return [...attempts.values()].map((made) =>
    [...made.values()].flatMap((attempt) => {
      if (name === passRateMeasure) return passFigure(attempt, threshold) ?? [];
      const found = attempt.sums.get(name);
      return found ? [found.sum / found.count] : [];
    }),
  );
}

/** 1 when an attempt passes, else 0; null when nothing measures it. */
function passFigure({ sums, standing }: PassedAttempt, threshold: number | undefined): number | null {
  const averages = Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
  const outcome = attemptOutcome(averages, { turns: standing, threshold });
  return outcome === "unscored" || outcome === "simulator_failed" ? null : Number(outcome === "passed");
}

interface PassedAttempt {
  readonly sums: ReadonlyMap<string, { readonly sum: number; readonly count: number }>;
  readonly standing: Standing;
}

const isErrored = (sums: PassedAttempt["sums"]): boolean => {
  const success = sums.get("success");
  return success !== undefined && success.sum < success.count;
};

/** Shares of the complete attempts that pass, of scenarios that are the same in both runs. */
function passRatePairs(baseline: RunTally, candidate: RunTally, threshold: number | undefined): DecisionPairs {
  const strict: ScenarioPair[] = [];
  const even: ScenarioPair[] = [];
  const missing = { candidate: 0, baseline: 0, unscored: 0 };
  for (const [scenario_id, turns] of baseline.scenarios) {
    const others = candidate.scenarios.get(scenario_id);
    const isSame =
      turns.size === others?.size && [...turns].every(([id, { content }]) => others.get(id)?.content === content);
    if (!isSame) continue;
    const [left, right] = [baseline, candidate].map(({ attempts }) =>
      [...(attempts.get(scenario_id) ?? [])].filter(([, made]) => made.turns >= turns.size),
    );
    const erroredBefore = new Set((left ?? []).flatMap(([number, { sums }]) => (isErrored(sums) ? number : [])));
    const pairOf = (isLeftOut: (attempt: number) => boolean): ScenarioPair[] => {
      const [before, after] = [left, right].map((made = []) =>
        mean(made.flatMap(([number, attempt]) => (isLeftOut(number) ? [] : (passFigure(attempt, threshold) ?? [])))),
      );
      if (typeof before !== "number" || typeof after !== "number") return [];
      return [{ scenario_id, baseline: before, candidate: after, interactions: turns.size }];
    };
    strict.push(...pairOf((attempt) => erroredBefore.has(attempt)));
    even.push(...pairOf(() => false));
    missing.baseline += erroredBefore.size;
    missing.candidate += (right ?? []).filter(
      ([number, { sums }]) => isErrored(sums) && !erroredBefore.has(number),
    ).length;
  }
  return { strict, even, missing };
}

/** The share of attempts that pass, by scenario; one without a reply does not. */
export function passRates(run: RunTally, threshold: number | undefined): ReturnType<typeof meansForDecision> {
  const { even, missing } = passRatePairs(run, run, threshold);
  return {
    means: new Map(even.map(({ scenario_id, candidate }) => [scenario_id, candidate])),
    missing: missing.baseline,
  };
}

function meanVariance(lists: readonly (readonly number[])[]): number | null {
  return mean(lists.flatMap((values) => (values.length < 2 ? [] : [(standardDeviation(values) ?? 0) ** 2])));
}

interface SampleTest {
  readonly bound: number | null;
  readonly p: number | null;
  /** The share of complete failures that the test does not exclude; null when it excludes those too. */
  readonly undetected: number | null;
  /** Of the hypothesis that the runs are equal, two-sided. */
  readonly worseP: number | null;
  /** Below 0 when the candidate is worse. */
  readonly effect: number;
  readonly method: string;
}

function testSample(sample: Sample): SampleTest {
  if (sample.kind === "ratio") return testRatio(sample);
  const gains = gainsOf(sample, 0);
  const { lower, p, method, assumesSpread } = testNotWorse(gains, sample.margin);
  const { p: worseP, effect } = compareScore(sample.name, sample.even);
  const better = compareScore(sample.name, sample.pairs);
  const betterP = chanceOfNoGain(better);
  // A better run is not worse, also by the methods of a plain comparison.
  if (betterP !== null && betterP <= alpha / 2 && (p === null || betterP <= p || assumesSpread))
    return {
      bound: Math.max(lower ?? -1, better.ci_lower ?? 0),
      p: betterP,
      undetected: null,
      worseP,
      effect,
      method: better.method,
    };
  return {
    bound: lower,
    p,
    undetected: assumesSpread ? undetectedFailures(gains.values) : null,
    worseP,
    effect,
    method,
  };
}

function testRatio(sample: Sample): SampleTest {
  const { p, method } = testNotWorse(gainsOf(sample, 1 + sample.margin), 0, { bound: false });
  const level = gainsOf({ ...sample, pairs: sample.even }, 1).values;
  const { p: worseP, effect } = compareScore(
    sample.name,
    level.map((candidate, index) => ({ scenario_id: `${index}`, baseline: 0, candidate, interactions: 1 })),
  );
  return { bound: ratioBound(sample), p, undetected: null, worseP, effect, method };
}

/**
 * The gain of each scenario. Of a ratio it is accepted ratio × baseline - candidate, in units of the mean baseline: its mean is
 * above 0 exactly when the ratio of the means is below the accepted one.
 */
function gainsOf({ pairs, kind, binary }: Sample, accepted: number): Gains {
  if (kind === "difference") return { values: pairs.map(({ baseline, candidate }) => candidate - baseline), binary };
  const unit = mean(pairs.map(({ baseline }) => baseline)) ?? 1;
  return {
    values: pairs.map(({ baseline, candidate }) => (accepted * baseline - candidate) / unit),
    differing: pairs.map(({ baseline, candidate }) => (baseline - candidate) / unit),
    // A scenario that was not seen may take twice the mean of the baseline.
    largestLoss: Math.max(0, 2 - accepted),
    openEnded: true,
  };
}

/** The largest ratio that the test does not exclude. */
function ratioBound(sample: Sample): number | null {
  const excluded = (ratio: number): boolean =>
    (testNotWorse(gainsOf(sample, ratio), 0, { bound: false }).p ?? 1) <= alpha;
  const effect = ratioOf(sample);
  if (sample.pairs.length < minimumScenarios) return null;
  let [low, high] = [effect, Math.max(2, 2 * effect)];
  while (!excluded(high) && high < 1_000) high *= 2;
  for (let step = 0; step < 40 && high - low > 1e-6; step++) {
    const middle = (low + high) / 2;
    if (excluded(middle)) high = middle;
    else low = middle;
  }
  return high < 1_000 ? high : null;
}

const average = ({ pairs }: Sample, side: "baseline" | "candidate"): number =>
  mean(pairs.map((pair) => pair[side])) ?? 0;

const ratioOf = (sample: Sample): number => average(sample, "candidate") / average(sample, "baseline");

function measuredFigures(sample: Sample) {
  const { name, kind, margin, pairs } = sample;
  const [baseline, candidate] = [average(sample, "baseline"), average(sample, "candidate")];
  const effect = kind === "ratio" ? candidate / baseline : candidate - baseline;
  return { name, kind, margin, baseline, candidate, effect, scenarios: pairs.length };
}

const verdictOf = (p: number | null, worseP: number): NotWorseVerdict =>
  p !== null && p <= alpha ? "not_worse" : worseP < alpha ? "worse" : "undecided";

function planOf(sample: Sample): NotWorsePlan {
  const { kind, margin, attempts, attemptVariance } = sample;
  const unit = kind === "ratio" ? average(sample, "baseline") : 1;
  const single = attemptVariance && (attemptVariance.baseline + attemptVariance.candidate) / unit ** 2;
  const gains = gainsOf(sample, kind === "ratio" ? 1 : 0);
  return planNotWorse(spreadOf(gains, { attempts, attemptVariance: single }), margin);
}

function cheaperOf(plan: NotWorsePlan, { pairs, attempts }: Sample): "scenarios" | "attempts" | null {
  if (plan.attempts === null) return plan.scenarios === null ? null : "scenarios";
  if (plan.scenarios === null) return "attempts";
  return plan.scenarios * attempts <= plan.attempts * pairs.length ? "scenarios" : "attempts";
}

function unmeasured({ name, margin, kind }: Pick<Sample, "name" | "margin" | "kind">, reason: string): NotWorseMeasure {
  return {
    name,
    kind,
    margin,
    baseline: null,
    candidate: null,
    effect: null,
    bound: null,
    p: null,
    p_adjusted: null,
    scenarios: 0,
    method: `none: ${reason}`,
    verdict: "undecided",
    would_decide: null,
    sentence: `${name} cannot be compared: ${reason}.`,
  };
}

const effectText = ({ kind, effect }: Pick<NotWorseMeasure, "kind" | "effect">): string =>
  kind === "ratio" ? `${formatFigure(effect ?? 0)} times the baseline's` : signedText(effect ?? 0);

/** `0.02`, or `10 %` of a ratio. */
export const marginText = ({ kind, margin }: Pick<NotWorseMeasure, "kind" | "margin">): string =>
  kind === "ratio" ? `${Number((margin * 100).toPrecision(6))} %` : String(margin);

function toMarginSentence(measure: Omit<NotWorseMeasure, "sentence">): string {
  const { kind, verdict, scenarios, bound, p, would_decide } = measure;
  const name = scoreTitle(measure.name);
  const seen = `${effectText(measure)} over ${scenarios} ${scenarios === 1 ? "scenario" : "scenarios"}`;
  const end = bound === null ? "" : kind === "ratio" ? `${formatFigure(bound)} times` : signedText(bound);
  const limit = bound === null ? "" : `, with 95 % confidence ${kind === "ratio" ? "at most" : "at least"} ${end}`;
  const margin = marginText(measure);
  const missing = missingOf(measure);
  switch (verdict) {
    case "not_worse":
      return `${name} is shown not to be worse by ${margin}: ${seen}${limit}.${undetectedSentence(measure)}${missing}`;
    case "worse":
      return `${name} is worse: ${seen}${limit}, so a loss of ${margin} is not excluded.${missing}`;
    case "undecided": {
      const why =
        p === null
          ? `, too few to tell`
          : p <= alpha
            ? `${limit}: enough alone, but not among several measures`
            : `${limit}, so a loss of ${margin} is not excluded`;
      return `${name} is undecided: ${seen}${why}.${missing}${adviceText(would_decide, scenarios)}`;
    }
  }
}

/** The failures that a verdict cannot exclude when it rests on the spread of the scenarios. */
const undetectedSentence = ({ scenarios, undetected_failures: rate }: Omit<NotWorseMeasure, "sentence">): string =>
  rate === undefined ? "" : ` ${undetectedText(scenarios, rate)}.`;

const missingOf = (measure: Omit<NotWorseMeasure, "sentence">): string =>
  missingText({
    candidate: measure.missing_as_zero ?? 0,
    baseline: measure.missing_in_baseline ?? 0,
    unscored: measure.scenarios_left_out ?? 0,
  });

function adviceText(plan: NotWorseMeasure["would_decide"], scenarios: number): string {
  if (!plan || plan.cheaper === null) return "";
  const options = [
    ...(plan.scenarios === null ? [] : [{ kind: "scenarios", text: `about ${plan.scenarios} scenarios` }]),
    ...(plan.attempts === null ? [] : [{ kind: "attempts", text: `${plan.attempts} attempts of these ${scenarios}` }]),
  ].toSorted((left) => (left.kind === plan.cheaper ? -1 : 1));
  const cheaper = options.length > 1 ? " The first takes fewer calls." : "";
  return ` If the runs are equal, ${options.map(({ text }) => text).join(" or ")} would show it in four of five cases.${cheaper}`;
}

function verdictOfAll(measures: readonly NotWorseMeasure[]): NotWorseVerdict {
  if (measures.some(({ verdict }) => verdict === "worse")) return "worse";
  return measures.every(({ verdict }) => verdict === "not_worse") ? "not_worse" : "undecided";
}

function sentenceOfAll(
  verdict: NotWorseVerdict,
  measures: readonly NotWorseMeasure[],
  told: (name: string) => string,
): string {
  const [first] = measures;
  if (first && measures.length === 1) return first.sentence;
  if (verdict !== "not_worse")
    return measures
      .filter((measure) => measure.verdict === verdict)
      .map(({ sentence }) => sentence)
      .join(" ");
  const names = measures.map((measure) => `${scoreTitle(told(measure.name))} by ${marginText(measure)}`).join(", ");
  const missing = measures.map((measure) => ({
    name: scoreTitle(measure.name),
    text: undetectedSentence(measure) + missingOf(measure),
  }));
  const found = missing.flatMap(({ name, text }) => (text === "" ? [] : ` ${name}:${text}`)).join("");
  return `All ${measures.length} measures are shown not to be worse (${names}), with a family error of 5 %.${found}`;
}

/** A measure that no result of these scenarios could show not to be worse. */
export interface OutOfReach {
  readonly name: string;
  readonly scenarios: number;
  readonly needed: number;
}

/**
 * Measures that cannot pass even if the candidate is right in every one of the baseline's `scenarios`: known before the first
 * call. Figures without an upper end are always within reach.
 */
export function measuresOutOfReach(
  baseline: RunTally,
  {
    margins,
    threshold,
    scenarios,
  }: { margins: Margins; threshold: number | undefined; scenarios: ReadonlySet<string> },
): OutOfReach[] {
  const kept = {
    ...baseline,
    scenarios: new Map([...baseline.scenarios].filter(([scenario_id]) => scenarios.has(scenario_id))),
  };
  return Object.entries(margins).flatMap(([name, margin]) => {
    const sample = toSample(name, margin, { baseline: kept, candidate: kept, margins, threshold });
    if ("reason" in sample || sample.kind === "ratio") return [];
    const best = sample.pairs.map((pair) => 1 - pair.baseline);
    const passes = (values: readonly number[]): boolean =>
      (testNotWorse({ values, binary: sample.binary }, margin, { bound: false }).p ?? 1) <= alpha;
    if (passes(best)) return [];
    const most = scenariosWithoutLoss(margin);
    const grown = (count: number) => Array.from({ length: count }, (_, index) => best[index % best.length] ?? 0);
    let [tooFew, enough] = [best.length, Math.max(most, best.length + 1)];
    while (enough - tooFew > 1) {
      const middle = Math.floor((tooFew + enough) / 2);
      if (passes(grown(middle))) enough = middle;
      else tooFew = middle;
    }
    return [{ name, scenarios: best.length, needed: enough }];
  });
}
