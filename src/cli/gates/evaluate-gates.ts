import { compact } from "../../base/compact.ts";
import { counted } from "../../base/text.ts";
import { reaches, roundApartFrom } from "../../base/numbers.ts";
import { upperLimits, type GateResult } from "../../contract/schemas/budget.ts";
import type { ScoreStats } from "../../contract/schemas/scores/score.ts";
import type { RunDigest, ScenarioDigest } from "../../formats/export/results/run-digest.ts";
import { intervalOfConstant } from "../../evaluation/statistics/intervals.ts";
import { isProportionMethod, scoreStats } from "../../evaluation/statistics/score-stats.ts";
import { meansWithMissing, meanWithMissing } from "../../evaluation/summary/missing-replies.ts";
import { leftOut, undecidedReason } from "../../evaluation/summary/left-out.ts";
import { parseGate, type Comparator, type figures, type GateRule, type Measure, type Statistic } from "./parse-gate.ts";

export interface GateCheck {
  readonly gate: string;
  readonly passed: boolean;
  /** Set when there is no answer, for a comparison or a figure that is not known; `passed` is then what that counts as. */
  readonly undecided?: true;
  /** Null when it could not be measured; such a gate does not pass. */
  readonly actual: number | null;
  readonly message: string;
}

/** Evaluates every gate on the results of a run. */
export function evaluateGates(gates: readonly GateRule[], digest: RunDigest): GateCheck[] {
  return gates.map((gate) => {
    const { actual, where } = openOutcomes(gate, digest) ?? measure(gate.measure, gate.comparator, digest);
    const passed = actual !== null && isReached(actual, gate);
    const open = passed || actual === null ? undecidedAttempts(gate.measure, digest) : 0;
    if (open > 0) return undecidedCheck(gate.text, { actual, open });
    const message = describeGate(gate, { actual, where, passed });
    return compact({
      gate: gate.text,
      passed,
      actual,
      message,
      undecided: actual === null ? (true as const) : undefined,
    });
  });
}

/** Attempts without the score of a gate, because the tool calls that it needs could not be seen. */
function undecidedAttempts(measured: Measure, { summary: { undecided_scores: open = {} } }: RunDigest): number {
  if (measured.kind === "figure") return 0;
  const names = measured.kind === "score" ? [measured.score] : ["outcome", "overall"];
  return Math.max(...names.map((name) => (Object.hasOwn(open, name) ? (open[name] ?? 0) : 0)));
}

function undecidedCheck(gate: string, { actual, open }: { actual: number | null; open: number | null }): GateCheck {
  const where = open === null ? "" : ` in ${counted(open, "attempt")}`;
  const message = `${gate}: ${undecidedText(false)}${where}: tool calls that it needs could not be seen`;
  return { gate, passed: false, undecided: true, actual, message };
}

/**
 * Fails when replies without scores (a failing judge) could distort a gated score or, with `watched`, one compared with a
 * baseline. An explicit gate on `unscored_rate`, or the request's own gate, takes precedence.
 */
export function evaluateUnscored(
  gates: readonly GateRule[],
  watched: readonly string[],
  digest: RunDigest,
): GateCheck[] {
  const { unscored = 0, gate } = digest.summary;
  const isNamed = gates.some(({ measure: held }) => held.kind === "figure" && held.figure === "unscored_rate");
  if (unscored === 0 || gate || isNamed) return [];
  const lost = new Set(["overall", ...digest.lostScores]);
  const isPartial = gates.some(
    ({ measure: held }) => held.kind === "reliability" || (held.kind === "score" && lost.has(held.score)),
  );
  if (!isPartial && !watched.some((name) => lost.has(name))) return [];
  // A failed judge says nothing about the agent.
  const rate = parseGate("unscored_rate<=0");
  return evaluateGates([rate], digest).map((check) => ({
    ...check,
    undecided: true,
    message: `${rate.text}: is ${roundApartFrom(check.actual ?? 0, 0)}, ${undecidedText(false)}`,
  }));
}

const leftOutFigure = "simulator_failure_rate";

export const isLeftOutGate = ({ gate }: GateCheck): boolean => gate.startsWith(leftOutFigure);

/** Undecided when too much of the run was left out, or nothing was scored. A gate on `simulator_failure_rate` sets the limit. */
export function evaluateUndecided(gates: readonly GateRule[], { summary }: RunDigest): GateCheck | null {
  const named = gates.find(({ measure: held }) => held.kind === "figure" && held.figure === leftOutFigure);
  const reason = undecidedReason(summary, named?.bound);
  if (reason === null) return null;
  const { share = null, limit = null } = leftOut(summary.simulated_users, named?.bound) ?? {};
  const gate = share !== null && limit !== null && share > limit ? `${leftOutFigure}<=${limit}` : "scored attempts";
  return { gate, passed: false, undecided: true, actual: share, message: `${undecidedText(false)}: ${reason}` };
}

/** The service's checks of the request's own gate. Checks of single scenarios are shown only when they failed. */
export function requestGateChecks(gate: GateResult | undefined): GateCheck[] {
  const shown = (gate?.checks ?? []).filter(({ scenario_id, passed }) => scenario_id === undefined || !passed);
  return shown.map(({ name, scenario_id, required, actual, passed, undecided, not_worse, sentence }) => {
    if (sentence !== undefined) {
      const text = `${name} not worse than the baseline`;
      const isOpen = not_worse === "undecided";
      const outcome = isOpen ? undecidedText(passed) : passed ? "passed" : "failed";
      const message = `${text}: ${outcome}. ${sentence}`;
      return compact({ gate: text, passed, actual, message, undecided: isOpen ? (true as const) : undefined });
    }
    const text = `${name}${upperLimits.has(name) ? "<=" : ">="}${required}`;
    if (undecided) return undecidedCheck(text, { actual, open: null });
    const where = scenario_id === undefined ? undefined : `in scenario ${scenario_id}`;
    const message = describeGate({ text, bound: required }, { actual, where, passed });
    return compact({
      gate: text,
      passed,
      actual,
      message,
      undecided: actual === null && !passed ? (true as const) : undefined,
    });
  });
}

/** An undecided comparison says so, whatever it counts as. */
export const undecidedText = (passed: boolean): string => `UNDECIDED, counted as ${passed ? "passed" : "failed"}`;

interface Measured {
  readonly actual: number | null;
  /** Where the value comes from, or why it is missing. */
  readonly where?: string | undefined;
}

function measure(wanted: Measure, comparator: Comparator, digest: RunDigest): Measured {
  switch (wanted.kind) {
    case "score":
      return wanted.each ? worstScenario(wanted, comparator, digest) : runScore(wanted, comparator, digest);
    case "reliability":
      return reliability(wanted, digest.scenarios);
    case "figure":
      return figureOf(wanted.figure, digest);
  }
}

function runScore(
  { score, statistic }: { score: string; statistic: Statistic },
  comparator: Comparator,
  digest: RunDigest,
): Measured {
  const { score_stats, average_scores, failed } = digest.summary;
  const means = isAtLeast(comparator) ? meansWithMissing(digest.scenarios, score) : null;
  if (means) {
    const binary = isProportionMethod(score_stats[score]?.method ?? "");
    const stats = scoreStats(means, { unit: "scenario", binary, n_missing: 0 });
    const { value, how } = statisticOf(stats, statistic, undefined);
    const zeros = `with ${missingReplies(failed)} as 0`;
    return { actual: value, where: how === undefined ? zeros : `${how}, ${zeros}` };
  }
  const { value, how } = statisticOf(score_stats[score], statistic, average_scores[score]);
  return { actual: value, where: value === null ? missingValue(score, statistic, score_stats) : how };
}

/** A minimum counts a missing reply as 0; for a maximum, 0 would be the best value. */
const isAtLeast = (comparator: Comparator): boolean => comparator.startsWith(">");

const missingReplies = (failed: number): string => counted(failed, "missing reply", "missing replies");

/**
 * Outcomes that could not be decided, which averages leave out: without them a gate may not pass. Null where there are none, or where
 * the others decide that it fails. A scenario whose simulated user failed is left out openly.
 */
function openOutcomes({ measure: wanted, comparator, bound }: GateRule, { scenarios }: RunDigest): Measured | null {
  const isOutcome = wanted.kind === "reliability" || (wanted.kind === "score" && wanted.score === "outcome");
  const open = isOutcome ? scenarios.filter(lacksOutcome).length : 0;
  if (open === 0 || !comparator.startsWith(">")) return null;
  const decided = scenarios.flatMap(({ average_scores: { outcome = null } }) => outcome ?? []);
  const best = (decided.reduce((sum, value) => sum + value, 0) + open) / (decided.length + open);
  if (decided.length > 0 && !reaches(best, bound)) return null;
  return { actual: null, where: `the outcome of ${counted(open, "scenario")} could not be decided` };
}

const lacksOutcome = ({ hasOutcome, average_scores, verdict }: ScenarioDigest): boolean =>
  hasOutcome && average_scores["outcome"] === undefined && verdict.outcome === "unscored";

/** The worst scenario, since an average hides one that always fails. */
function worstScenario(
  { score, statistic }: { score: string; statistic: Statistic },
  comparator: Comparator,
  { scenarios }: RunDigest,
): Measured {
  const values = scenarios.map(({ scenario_id, score_stats, average_scores }) => {
    const { success = 1 } = average_scores;
    if (isAtLeast(comparator) && success < 1 && score !== "success") {
      const value = meanWithMissing({ average_scores }, score);
      // An interval over attempts, of which some are missing, is not known.
      return {
        scenario_id,
        value: statistic === "mean" || value === 0 ? value : null,
        how: "missing replies count as 0",
      };
    }
    return { scenario_id, ...statisticOf(score_stats[score], statistic, average_scores[score]) };
  });
  const unknown = values.find(({ value }) => value === null);
  if (unknown) return { actual: null, where: `scenario ${unknown.scenario_id} has no ${score}.${statistic}` };
  const sign = isAtLeast(comparator) ? 1 : -1;
  const [worst] = values.toSorted((left, right) => sign * ((left.value ?? 0) - (right.value ?? 0)));
  if (!worst) return { actual: null };
  const how = worst.how === undefined ? "" : `: ${worst.how}`;
  return { actual: worst.value, where: `in scenario ${worst.scenario_id}${how}` };
}

interface FoundValue {
  readonly value: number | null;
  /** The method, when it is not the usual one. */
  readonly how?: string;
}

function statisticOf(stats: ScoreStats | undefined, statistic: Statistic, mean: number | undefined): FoundValue {
  if (statistic === "mean") return { value: mean ?? stats?.mean ?? null };
  const value = stats?.[statistic] ?? null;
  return value === null && stats && statistic !== "min" ? endOfEqual(stats, statistic) : { value };
}

function endOfEqual(stats: ScoreStats, statistic: "ci_lower" | "ci_upper"): FoundValue {
  const interval = intervalOfConstant(stats);
  if (!interval) return { value: null };
  const value = statistic === "ci_lower" ? interval.lower : interval.upper;
  return { value, how: `all ${stats.n} are ${Math.round(stats.mean ?? 0)}, by Wilson's interval` };
}

function missingValue(score: string, statistic: Statistic, stats: Readonly<Record<string, ScoreStats>>): string {
  if (!(score in stats)) return `the run has no score ${score}; it has ${Object.keys(stats).join(", ") || "none"}`;
  return `${statistic} is not known (${stats[score]?.method ?? "too little data"})`;
}

/** Mean over the scenarios. Not measured when a scenario has fewer than k attempts. */
function reliability(
  { chance, k }: { chance: "pass^" | "pass@"; k: number },
  scenarios: readonly ScenarioDigest[],
): Measured {
  const judged = scenarios.flatMap(({ reliability: found, scenario_id }) => (found ? [{ ...found, scenario_id }] : []));
  if (judged.length === 0) return { actual: null, where: "no attempt has an overall score" };
  const short = judged.find(({ attempts }) => attempts < k);
  if (short)
    return { actual: null, where: `scenario ${short.scenario_id} has ${counted(short.attempts, "attempt")}, not ${k}` };
  const values = judged.map((found) => (chance === "pass^" ? found.pass_hat_k : found.pass_at_k)[k - 1] ?? 0);
  return { actual: values.reduce((sum, value) => sum + value, 0) / values.length };
}

function figureOf(figure: (typeof figures)[number], digest: RunDigest): Measured {
  const { interactions, failed, unscored = 0, cost } = digest.summary;
  const share = (count: number): Measured => ({ actual: interactions === 0 ? null : count / interactions });
  if (figure === "failure_rate") return share(failed);
  if (figure === "unscored_rate") return share(unscored);
  if (figure === "simulator_failure_rate") {
    const users = digest.summary.simulated_users;
    return users ? { actual: users.share } : { actual: null, where: "no attempt had a simulated user" };
  }
  if (figure === "tokens") return gateTokens(digest);
  if (!cost) return { actual: null, where: "no price is known" };
  if (cost.unpriced === 0) return { actual: cost.total };
  // A partial cost says nothing about the total.
  return { actual: null, where: `${counted(cost.unpriced, "reply", "replies")} without a price` };
}

/** Not measured when an endpoint reported no token counts: a partial sum says nothing about the total. */
function gateTokens({ usage, uncountedReplies: uncounted }: RunDigest): Measured {
  if (uncounted === 0) return { actual: usage.total_tokens };
  return { actual: null, where: `${counted(uncounted, "reply", "replies")} without a token count` };
}

function isReached(actual: number, { comparator, bound }: GateRule): boolean {
  switch (comparator) {
    case ">=":
      return reaches(actual, bound);
    case "<=":
      return reaches(bound, actual);
    case ">":
      return !reaches(bound, actual);
    case "<":
      return !reaches(actual, bound);
  }
}

function describeGate(
  { text, bound }: Pick<GateRule, "text" | "bound">,
  { actual, where, passed }: Measured & { passed: boolean },
): string {
  const value = actual === null ? "not measured" : `is ${roundApartFrom(actual, bound)}`;
  const state = actual === null ? undecidedText(passed) : passed ? "passed" : "failed";
  return `${text}: ${value}${where ? ` (${where})` : ""}, ${state}`;
}
