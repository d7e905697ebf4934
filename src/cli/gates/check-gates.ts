import { reaches, tellApart } from "../../base/numbers.ts";
import { upperLimits, type GateResult } from "../../contract/schemas/budget.ts";
import type { EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { ScoreStats } from "../../contract/schemas/score.ts";
import { intervalOfConstant } from "../../evaluation/statistics/intervals.ts";
import { counted } from "../terminal/figures.ts";
import { parseGate, type Comparator, type figures, type Gate, type Measure, type Statistic } from "./parse-gate.ts";

export interface GateCheck {
  readonly gate: string;
  readonly passed: boolean;
  /** null: it could not be measured, which does not pass. */
  readonly actual: number | null;
  readonly message: string;
}

/** Holds every gate against the results of a run. */
export function checkGates(gates: readonly Gate[], response: EvaluationResponse): GateCheck[] {
  return gates.map((gate) => {
    const { actual, where } = measure(gate.measure, gate.comparator, response);
    const passed = actual !== null && holds(actual, gate);
    return { gate: gate.text, passed, actual, message: describe(gate, { actual, where, passed }) };
  });
}

/**
 * A mean of the replies that a failing judge happened to read says nothing of the others, so none may be missing where one is held to
 * something: neither by a gate nor, with `watched`, by a baseline. A gate on `unscored_rate` says how many may, and the request's own has it.
 */
export function checkUnscored(
  gates: readonly Gate[],
  watched: readonly string[],
  response: EvaluationResponse,
): GateCheck[] {
  const { unscored = 0, gate } = response.summary;
  const isNamed = gates.some(({ measure: held }) => held.kind === "figure" && held.figure === "unscored_rate");
  if (unscored === 0 || gate || isNamed) return [];
  const lost = new Set(["overall", ...repliesOf(response).flatMap(({ failed_scores }) => failed_scores ?? [])]);
  const isPartial = gates.some(
    ({ measure: held }) => held.kind === "reliability" || (held.kind === "score" && lost.has(held.score)),
  );
  return isPartial || watched.some((name) => lost.has(name))
    ? checkGates([parseGate("unscored_rate<=0")], response)
    : [];
}

/** The checks of a gate that was part of the request, made by the service. Of single scenarios only those that failed. */
export function checksOfRequest(gate: GateResult | undefined): GateCheck[] {
  const shown = (gate?.checks ?? []).filter(({ scenario_id, passed }) => scenario_id === undefined || !passed);
  return shown.map(({ name, scenario_id, required, actual, passed }) => {
    const text = `${name}${upperLimits.has(name) ? "<=" : ">="}${required}`;
    const where = scenario_id === undefined ? undefined : `in scenario ${scenario_id}`;
    return { gate: text, passed, actual, message: describe({ text, bound: required }, { actual, where, passed }) };
  });
}

interface Measured {
  readonly actual: number | null;
  /** Where the value was found, or why there is none. */
  readonly where?: string | undefined;
}

function measure(wanted: Measure, comparator: Comparator, response: EvaluationResponse): Measured {
  switch (wanted.kind) {
    case "score":
      return wanted.each ? worstScenario(wanted, comparator, response) : runScore(wanted, response);
    case "reliability":
      return reliability(wanted, response.results.scenarios);
    case "figure":
      return figureOf(wanted.figure, response);
  }
}

function runScore({ score, statistic }: { score: string; statistic: Statistic }, response: EvaluationResponse) {
  const { score_stats, average_scores } = response.summary;
  const { value, how } = statisticOf(score_stats[score], statistic, average_scores[score]);
  return { actual: value, where: value === null ? missing(score, statistic, score_stats) : how };
}

/** The scenario furthest on the wrong side: an average hides one that always fails. */
function worstScenario(
  { score, statistic }: { score: string; statistic: Statistic },
  comparator: Comparator,
  { results }: EvaluationResponse,
): Measured {
  const values = results.scenarios.map(({ scenario_id, score_stats, average_scores }) => ({
    scenario_id,
    ...statisticOf(score_stats[score], statistic, average_scores[score]),
  }));
  const unknown = values.find(({ value }) => value === null);
  if (unknown) return { actual: null, where: `scenario ${unknown.scenario_id} has no ${score}.${statistic}` };
  const sign = comparator.startsWith(">") ? 1 : -1;
  const [worst] = values.toSorted((left, right) => sign * ((left.value ?? 0) - (right.value ?? 0)));
  if (!worst) return { actual: null };
  const how = worst.how === undefined ? "" : `: ${worst.how}`;
  return { actual: worst.value, where: `in scenario ${worst.scenario_id}${how}` };
}

interface Found {
  readonly value: number | null;
  /** How it was found, where that is another way than usual. */
  readonly how?: string;
}

function statisticOf(stats: ScoreStats | undefined, statistic: Statistic, mean: number | undefined): Found {
  if (statistic === "mean") return { value: mean ?? stats?.mean ?? null };
  const value = stats?.[statistic] ?? null;
  return value === null && stats && statistic !== "min" ? endOfEqual(stats, statistic) : { value };
}

function endOfEqual(stats: ScoreStats, statistic: "ci_lower" | "ci_upper"): Found {
  const interval = intervalOfConstant(stats);
  if (!interval) return { value: null };
  const value = statistic === "ci_lower" ? interval.lower : interval.upper;
  return { value, how: `all ${stats.n} are ${Math.round(stats.mean ?? 0)}, by Wilson's interval` };
}

function missing(score: string, statistic: Statistic, stats: Readonly<Record<string, ScoreStats>>): string {
  if (!(score in stats)) return `the run has no score ${score}; it has ${Object.keys(stats).join(", ") || "none"}`;
  return `${statistic} is not known (${stats[score]?.method ?? "too little data"})`;
}

/** Mean over the scenarios. One with fewer attempts than k cannot be judged, and then neither can the run. */
function reliability(
  { chance, k }: { chance: "pass^" | "pass@"; k: number },
  scenarios: readonly ScenarioResult[],
): Measured {
  const judged = scenarios.flatMap(({ reliability: found, scenario_id }) => (found ? [{ ...found, scenario_id }] : []));
  if (judged.length === 0) return { actual: null, where: "no attempt has an overall score" };
  const short = judged.find(({ attempts }) => attempts < k);
  if (short)
    return { actual: null, where: `scenario ${short.scenario_id} has ${counted(short.attempts, "attempt")}, not ${k}` };
  const values = judged.map((found) => (chance === "pass^" ? found.pass_hat_k : found.pass_at_k)[k - 1] ?? 0);
  return { actual: values.reduce((sum, value) => sum + value, 0) / values.length };
}

function figureOf(figure: (typeof figures)[number], response: EvaluationResponse): Measured {
  const { interactions, failed, unscored = 0, cost } = response.summary;
  const share = (count: number): Measured => ({ actual: interactions === 0 ? null : count / interactions });
  if (figure === "failure_rate") return share(failed);
  if (figure === "unscored_rate") return share(unscored);
  if (figure === "tokens") return tokensOf(response);
  if (!cost) return { actual: null, where: "no price is known" };
  if (cost.unpriced === 0) return { actual: cost.total };
  // What is known is only a part of it, which says nothing about the whole.
  return { actual: null, where: `${counted(cost.unpriced, "reply", "replies")} came without a price` };
}

/** Some endpoints count no tokens. What the others add up to is only a part, which says nothing about the whole. */
function tokensOf(response: EvaluationResponse): Measured {
  const { usage } = response;
  const uncounted = repliesOf(response).filter((reply) => reply.error === null && reply.usage === null).length;
  if (uncounted === 0) return { actual: usage.total_tokens };
  return { actual: null, where: `${counted(uncounted, "reply", "replies")} came without a count of tokens` };
}

const repliesOf = ({ results }: EvaluationResponse) =>
  results.scenarios.flatMap(({ attempts }) => attempts.flatMap(({ interactions }) => interactions));

function holds(actual: number, { comparator, bound }: Gate): boolean {
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

function describe(
  { text, bound }: Pick<Gate, "text" | "bound">,
  { actual, where, passed }: Measured & { passed: boolean },
): string {
  const value = actual === null ? "not measured" : `is ${tellApart(actual, bound)}`;
  return `${text}: ${value}${where ? ` (${where})` : ""}, ${passed ? "passed" : "failed"}`;
}
