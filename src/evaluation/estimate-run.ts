import type { EvaluationPlan } from "../contract/schemas/evaluation-request.ts";
import type { Range, RunEstimate } from "../contract/schemas/budget.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { callsAtOnce, callsInARow, type CallLimits } from "./calls-at-once.ts";
import { estimateCalls } from "./estimate-calls.ts";
import { helperLoads } from "./helper-loads.ts";
import type { PriceOf } from "./helper-usage.ts";
import { sumLoads, type Load } from "./load.ts";
import { moneyText } from "./money-text.ts";
import { add, atLeast, divide, even, multiply, scale, whole } from "./range.ts";

/** What earlier runs of the same model took for a reply. */
export interface EarlierFigures {
  readonly runs: number;
  readonly output_tokens: number;
  /** How long a call took, with all that was done before the next one. */
  readonly latency_ms: number;
}

export interface EstimateOptions extends CallLimits {
  readonly priceOf?: PriceOf | undefined;
  readonly judgePriceOf?: PriceOf | undefined;
  readonly labellerPriceOf?: PriceOf | undefined;
  readonly earlier?: EarlierFigures | null;
}

// A rule of thumb, for want of earlier runs: a call takes seconds.
const usualLatency: Range = { low: 500, expected: 2_000, high: 8_000 };
/** How far token counts may be off either way. */
const spread = 2;

/**
 * Calls, tokens, money and time of a plan, before the first call. Calls are those of a run in which every turn is answered at the
 * first try: retries come on top, and what failed is neither judged nor labelled.
 */
export function estimateRun(plan: EvaluationPlan, options: EstimateOptions): RunEstimate {
  const attempts = even(plan.attempts);
  const model = sumLoads(plan.scenarios.map((scenario) => modelLoad(scenario, plan, options.earlier ?? null)));
  const helpers = helperLoads(plan, { parameters: plan.parameters, reply: options.earlier?.output_tokens });
  const passes: Range =
    plan.history === "both" ? even(2) : { low: 1, expected: 1, high: plan.replay_first_bad_turn ? 2 : 1 };
  const everyPass = multiply(attempts, passes);
  // Every reply is judged and labelled, those of a second pass too; a whole conversation is judged once.
  const judgings = plan.judge?.scope === "conversation" ? attempts : everyPass;
  const parts: readonly Part[] = [
    { load: model, times: everyPass, priceOf: options.priceOf, name: plan.model_id },
    { load: helpers.judge, times: judgings, priceOf: options.judgePriceOf, name: plan.judge?.model_id ?? null },
    {
      load: helpers.labeller,
      times: everyPass,
      priceOf: options.labellerPriceOf,
      name: plan.labeller?.model_id ?? null,
    },
  ];
  const sumOf = (amount: (load: Load) => number, of = parts): Range =>
    of.reduce((sum, { load, times }) => add(sum, scale(times, amount(load))), even(0));
  const model_calls = whole(sumOf(({ calls }) => calls, parts.slice(0, 1)));
  const helper_calls = whole(sumOf(({ calls }) => calls, parts.slice(1)));
  const calls = add(model_calls, helper_calls);
  const input_tokens = whole(widen(sumOf(({ input }) => input)));
  const output_tokens = whole(widen(sumOf(({ output }) => output)));
  const money = moneyOf(parts);
  const seconds = secondsOf(plan, { calls, attempts, options });
  const estimate = { calls, model_calls, helper_calls, input_tokens, output_tokens, money, seconds };
  return {
    ...estimate,
    based_on: options.earlier
      ? `${options.earlier.runs} earlier ${options.earlier.runs === 1 ? "run" : "runs"} of this model`
      : "rules of thumb",
    sentence: toSentence(estimate),
    within_budget: plan.budget ? fits(plan.budget, estimate) : null,
  };
}

function modelLoad(scenario: Scenario, plan: EvaluationPlan, earlier: EarlierFigures | null): Load {
  const calls = estimateCalls(scenario, { settings: plan, reply: earlier?.output_tokens });
  return sumLoads(calls.map((call) => ({ calls: 1, ...call })));
}

/** One model's share of a run. */
interface Part {
  readonly load: Load;
  readonly times: Range;
  readonly priceOf: PriceOf | undefined;
  readonly name: string | null;
}

function moneyOf(parts: readonly Part[]): Range | null {
  let total = even(0);
  for (const { load, times, priceOf, name } of parts) {
    if (load.calls === 0) continue;
    const usage = {
      input_tokens: Math.ceil(load.input),
      output_tokens: Math.ceil(load.output),
      total_tokens: Math.ceil(load.input) + Math.ceil(load.output),
    };
    const price = priceOf?.({ model: name, usage }) ?? null;
    if (price === null) return null;
    total = add(total, widen(scale(times, price)));
  }
  return total;
}

/** Calls go side by side as far as the history and the limits allow; the longest attempt takes its own time. */
function secondsOf(
  plan: EvaluationPlan,
  { calls, attempts, options }: { calls: Range; attempts: Range; options: EstimateOptions },
): Range {
  const { earlier } = options;
  const latency = earlier ? widen(even(earlier.latency_ms)) : usualLatency;
  const turns = plan.scenarios.reduce((most, { interactions }) => Math.max(most, interactions.length), 0);
  const { history, concurrency } = plan;
  const planned = { history, concurrency, turns, attempts: plan.scenarios.length * attempts.high };
  const rounds = atLeast(divide(calls, even(callsAtOnce(planned, options))), even(callsInARow(planned)));
  return divide(multiply(rounds, latency), even(1_000));
}

function fits(
  budget: NonNullable<EvaluationPlan["budget"]>,
  estimate: Pick<RunEstimate, "calls" | "input_tokens" | "output_tokens" | "money" | "seconds">,
): boolean {
  const within = (limit: number | undefined, value: number) => limit === undefined || value <= limit;
  return (
    within(budget.calls, estimate.calls.expected) &&
    within(budget.tokens, estimate.input_tokens.expected + estimate.output_tokens.expected) &&
    within(budget.money, estimate.money?.expected ?? 0) &&
    within(budget.seconds, estimate.seconds.expected)
  );
}

function toSentence({ calls, money, seconds }: Pick<RunEstimate, "calls" | "money" | "seconds">): string {
  const count = calls.low === calls.high ? `${calls.low}` : `${calls.low} to ${calls.high}`;
  const called = calls.high === 1 ? "call" : "calls";
  const cost = money ? `, about ${moneyText(money.expected)}` : "";
  const [least, most] = [duration(seconds.low), duration(seconds.high)];
  return `${count} ${called}${cost}, ${least === most ? `about ${least}` : `${least} to ${most}`}.`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

const widen = ({ low, expected, high }: Range): Range => ({ low: low / spread, expected, high: high * spread });
