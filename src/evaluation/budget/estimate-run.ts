import { compact } from "../../base/compact.ts";
import type { Budget, Range, RunEstimate } from "../../contract/schemas/budget.ts";
import type { EvaluationPlan, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { offersTools } from "../../contract/schemas/acting/target.ts";
import { defaultMaxSteps } from "../../contract/schemas/acting/world.ts";
import { moneyText } from "../../base/format.ts";
import { maxReferenceConcurrency } from "../attempts/run-attempt.ts";
import { withoutUserTurns } from "../simulation/attempt-user.ts";
import { estimateCalls, estimateTokens } from "./estimate-tokens.ts";
import { helperLoads, sumLoads, type Load } from "./helper-calls.ts";
import type { PriceOf } from "../helpers/helper-usage.ts";

/** Averages of earlier runs of the same model. */
export interface EarlierFigures {
  readonly runs: number;
  readonly output_tokens: number;
  /** Time from one call to the next. */
  readonly latency_ms: number;
}

export interface CallLimits {
  /** Concurrent attempts of a run that sets no number. */
  readonly concurrency: number;
  /** Concurrent calls at most, regardless of the run's settings. Default: unlimited. */
  readonly mostCalls?: number | undefined;
}

export interface EstimateOptions extends CallLimits {
  readonly priceOf?: PriceOf | undefined;
  readonly judgePriceOf?: PriceOf | undefined;
  readonly labellerPriceOf?: PriceOf | undefined;
  readonly simulatorPriceOf?: PriceOf | undefined;
  readonly earlier?: EarlierFigures | null;
}

/** Assumed without earlier runs. */
const usualLatency: Range = { low: 500, expected: 2_000, high: 8_000 };
/** Factor by which token counts may be off, either way. */
const spread = 2;

/**
 * Estimates calls, tokens, money and time of a plan. Assumes that every turn is answered at the first try: retries are not
 * included, and failed turns would be neither judged nor labelled.
 */
export function estimateRun(plan: EvaluationPlan, options: EstimateOptions): RunEstimate {
  // A comparison that is decided early takes fewer; how soon is not known before.
  const attempts = { ...exactRange(plan.attempts), ...(plan.sequence && { low: plan.attempts / 10 }) };
  const scripted = plan.scenarios.map(withoutUserTurns).filter(({ interactions }) => interactions.length > 0);
  const model = sumLoads(scripted.map((scenario) => modelLoad(scenario, plan, options.earlier ?? null)));
  const users = userLoads(plan, options.earlier ?? null);
  const steps = stepsInWorlds(plan, options.earlier ?? null);
  const helpers = helperLoads(plan, { parameters: plan.parameters, reply: options.earlier?.output_tokens });
  const passes: Range =
    plan.history === "both" ? exactRange(2) : { low: 1, expected: 1, high: plan.replay_first_bad_turn ? 2 : 1 };
  const everyPass = multiplyRanges(attempts, passes);
  // Replies of a second pass are judged and labelled too; a conversation is judged once.
  const judgings = plan.judge?.scope === "conversation" ? attempts : everyPass;
  const parts: readonly EstimatePart[] = [
    { load: model, times: everyPass, priceOf: options.priceOf, name: plan.model_id },
    { ...steps, times: multiplyRanges(everyPass, steps.times), priceOf: options.priceOf, name: plan.model_id },
    { load: users.recorded, times: attempts, priceOf: options.priceOf, name: plan.model_id },
    { load: users.agent, times: multiplyRanges(attempts, usedTurns), priceOf: options.priceOf, name: plan.model_id },
    {
      load: users.simulator,
      times: multiplyRanges(attempts, usedTurns),
      priceOf: options.simulatorPriceOf,
      name: plan.simulator?.model_id ?? null,
    },
    { load: helpers.outcome, times: attempts, priceOf: options.judgePriceOf, name: plan.judge?.model_id ?? null },
    { load: helpers.judge, times: judgings, priceOf: options.judgePriceOf, name: plan.judge?.model_id ?? null },
    {
      load: helpers.labeller,
      times: everyPass,
      priceOf: options.labellerPriceOf,
      name: plan.labeller?.model_id ?? null,
    },
  ];
  const sumOf = (amount: (load: Load) => number, of = parts): Range =>
    of.reduce((sum, { load, times }) => addRanges(sum, scaleRange(times, amount(load))), exactRange(0));
  const model_calls = wholeRange(sumOf(({ calls }) => calls, parts.slice(0, 4)));
  const helper_calls = wholeRange(sumOf(({ calls }) => calls, parts.slice(4)));
  const simulator_calls = wholeRange(sumOf(({ calls }) => calls, parts.slice(4, 5)));
  const calls = addRanges(model_calls, helper_calls);
  const input_tokens = wholeRange(widen(sumOf(({ input }) => input)));
  const output_tokens = wholeRange(widen(sumOf(({ output }) => output)));
  const money = moneyOf(parts);
  const seconds = secondsOf(plan, { calls, attempts, options });
  const estimate = compact({
    calls,
    model_calls,
    helper_calls,
    simulator_calls: users.simulator.calls > 0 ? simulator_calls : undefined,
    input_tokens,
    output_tokens,
    money,
    seconds,
  });
  return {
    ...estimate,
    based_on: options.earlier
      ? `${options.earlier.runs} earlier ${options.earlier.runs === 1 ? "run" : "runs"} of this model`
      : "rough averages: this model has no earlier runs",
    sentence: toEstimateSentence(estimate),
    within_budget: plan.budget ? fitsBudget(plan.budget, estimate) : null,
  };
}

/** Both sides of a comparison, which run at the same time. */
export function addEstimates(left: RunEstimate, right: RunEstimate, budget: Budget | undefined): RunEstimate {
  const estimate = {
    calls: addRanges(left.calls, right.calls),
    model_calls: addRanges(left.model_calls, right.model_calls),
    helper_calls: addRanges(left.helper_calls, right.helper_calls),
    input_tokens: addRanges(left.input_tokens, right.input_tokens),
    output_tokens: addRanges(left.output_tokens, right.output_tokens),
    money: left.money && right.money && addRanges(left.money, right.money),
    seconds: maxRange(left.seconds, right.seconds),
  };
  return {
    ...left,
    ...estimate,
    sentence: toEstimateSentence(estimate),
    within_budget: budget ? fitsBudget(budget, estimate) : null,
  };
}

function modelLoad(scenario: Scenario, plan: EvaluationPlan, earlier: EarlierFigures | null): Load {
  const calls = estimateCalls(scenario, { settings: plan, reply: earlier?.output_tokens });
  return sumLoads(calls.map((call) => ({ calls: 1, ...call })));
}

/** The share of its turns that a simulated user needs. */
const usedTurns: Range = { low: 0.1, expected: 0.5, high: 1 };
/** Assumed tokens of a simulator's instructions and of its answer. */
const simulatorPrompt = 350;
const simulatorAnswer = 60;

/** The calls of agent and simulator if every simulated user needs all its turns. Recorded messages are all sent. */
function userLoads(plan: EvaluationPlan, earlier: EarlierFigures | null) {
  const agent: Load[] = [];
  const recorded: Load[] = [];
  const simulator: Load[] = [];
  for (const scenario of plan.scenarios) {
    const { user, interactions } = scenario;
    if (!user) continue;
    const calls = estimateCalls(scenario, { settings: plan, reply: earlier?.output_tokens });
    for (const [turn, { input, output }] of calls.entries()) {
      if (!interactions[turn]?.simulated) continue;
      (user.recorded ? recorded : agent).push({ calls: 1, input: input + simulatorAnswer, output });
      if (user.recorded) continue;
      const about = estimateTokens(JSON.stringify(user));
      simulator.push({ calls: 1, input: simulatorPrompt + about + input, output: simulatorAnswer });
    }
  }
  return { agent: sumLoads(agent), recorded: sumLoads(recorded), simulator: sumLoads(simulator) };
}

/**
 * The model calls of turns in a world after the first. Without reference calls one is expected, else one per reference call; the
 * limit of steps is the most.
 */
function stepsInWorlds(plan: EvaluationPlan, earlier: EarlierFigures | null): Pick<EstimatePart, "load" | "times"> {
  const loads: Load[] = [];
  let most = 0;
  for (const scenario of plan.scenarios) {
    const world = scenario.world ?? plan.world;
    if (!world || !offersTools(plan)) continue;
    const calls = estimateCalls(scenario, { settings: plan, reply: earlier?.output_tokens });
    for (const [turn, { input, output }] of calls.entries()) {
      const limit = world.max_steps ?? defaultMaxSteps;
      const expected = Math.min(scenario.interactions[turn]?.reference_tool_calls?.length ?? 1, limit);
      loads.push({ calls: expected, input: input * expected, output: output * expected });
      most += limit;
    }
  }
  const load = sumLoads(loads);
  return { load, times: { low: 0, expected: 1, high: load.calls === 0 ? 1 : most / load.calls } };
}

/** The load of one model, and how often it occurs. */
interface EstimatePart {
  readonly load: Load;
  readonly times: Range;
  readonly priceOf: PriceOf | undefined;
  readonly name: string | null;
}

function moneyOf(parts: readonly EstimatePart[]): Range | null {
  let total = exactRange(0);
  for (const { load, times, priceOf, name } of parts) {
    if (load.calls === 0) continue;
    const usage = {
      input_tokens: Math.ceil(load.input),
      output_tokens: Math.ceil(load.output),
      total_tokens: Math.ceil(load.input) + Math.ceil(load.output),
    };
    const price = priceOf?.({ model: name, usage }) ?? null;
    if (price === null) return null;
    total = addRanges(total, widen(scaleRange(times, price)));
  }
  return total;
}

/** Calls run concurrently as far as history and limits allow, but never faster than the longest attempt. */
function secondsOf(
  plan: EvaluationPlan,
  { calls, attempts, options }: { calls: Range; attempts: Range; options: EstimateOptions },
): Range {
  const { earlier } = options;
  const latency = earlier ? widen(exactRange(earlier.latency_ms)) : usualLatency;
  const turns = plan.scenarios.reduce((most, { interactions }) => Math.max(most, interactions.length), 0);
  const { history, concurrency } = plan;
  const planned = { history, concurrency, turns, attempts: plan.scenarios.length * attempts.high };
  const rounds = maxRange(
    divideRanges(calls, exactRange(concurrentCalls(planned, options))),
    exactRange(sequentialCalls(planned)),
  );
  return divideRanges(multiplyRanges(rounds, latency), exactRange(1_000));
}

function fitsBudget(
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

function toEstimateSentence({ calls, money, seconds }: Pick<RunEstimate, "calls" | "money" | "seconds">): string {
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

/** Attempts of `turns` turns each. */
interface PlannedCalls extends Pick<RunSettings, "history" | "concurrency"> {
  readonly attempts: number;
  readonly turns: number;
}

/** Calls of a run under way at once. */
export function concurrentCalls(planned: PlannedCalls, { concurrency, mostCalls = Infinity }: CallLimits): number {
  const held = Math.min(planned.concurrency ?? concurrency, planned.attempts);
  return Math.max(1, Math.min(held * callsPerAttempt(planned), mostCalls));
}

/** The fewest calls of one attempt that must follow each other. */
export function sequentialCalls(planned: Pick<PlannedCalls, "history" | "concurrency" | "turns">): number {
  return planned.history === "reference" ? Math.ceil(planned.turns / callsPerAttempt(planned)) : planned.turns;
}

/** Generated history runs turn by turn; reference history runs turns concurrently; `both` runs two turns at a time. */
function callsPerAttempt({
  history,
  concurrency,
  turns,
}: Pick<PlannedCalls, "history" | "concurrency" | "turns">): number {
  if (history === "reference")
    return Math.max(1, Math.min(turns, concurrency ?? maxReferenceConcurrency, maxReferenceConcurrency));
  return history === "both" ? 2 : 1;
}

const widen = ({ low, expected, high }: Range): Range => ({ low: low / spread, expected, high: high * spread });

const exactRange = (value: number): Range => ({ low: value, expected: value, high: value });

const combine =
  (operation: (left: number, right: number) => number) =>
  (left: Range, right: Range): Range => ({
    low: operation(left.low, right.low),
    expected: operation(left.expected, right.expected),
    high: operation(left.high, right.high),
  });

export const addRanges = combine((left, right) => left + right);
const multiplyRanges = combine((left, right) => left * right);
const divideRanges = combine((left, right) => left / right);
const maxRange = combine((left, right) => Math.max(left, right));
const scaleRange = (range: Range, factor: number): Range => multiplyRanges(range, exactRange(factor));

const wholeRange = ({ low, expected, high }: Range): Range => ({
  low: Math.floor(low),
  expected: Math.round(expected),
  high: Math.ceil(high),
});
