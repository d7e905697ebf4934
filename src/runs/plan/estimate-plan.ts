import type { RunEstimate } from "../../contract/schemas/budget.ts";
import type { EvaluationPlan, LabellerSettings } from "../../contract/schemas/evaluation-request.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import {
  concurrentCalls,
  sequentialCalls,
  type CallLimits,
  estimateRun,
  type EarlierFigures,
} from "../../evaluation/budget/estimate-run.ts";
import type { PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import { helperTarget, type ModelTarget } from "./model-target.ts";
import { testedEndpoint, testsOwnAgent } from "./endpoints.ts";

/** The number of earlier runs to read. */
const lookBack = 5;

/** Estimates calls, tokens, cost and time of a plan from earlier runs of the same model. Calls no model. */
export async function estimatePlan(
  plan: EvaluationPlan,
  {
    store,
    priceOf,
    owner,
    tied = false,
    ...limits
  }: CallLimits & {
    store: Store;
    priceOf?: ((target: ModelTarget) => PriceOf) | undefined;
    owner: string | null;
    /** True when the command line starts the agent under test itself. */
    tied?: boolean;
  },
): Promise<RunEstimate> {
  const { scenarios: _, ...settings } = plan;
  const page = await store.runs.list({ state: "completed", model_id: plan.model_id, owner, limit: lookBack });
  const endpoint = testedEndpoint(plan.endpoint, tied);
  const at = (helper: LabellerSettings | undefined): PriceOf | undefined =>
    helper && priceOf?.(helperTarget(settings, helper));
  return estimateRun(plan, {
    priceOf: priceOf?.(settings),
    judgePriceOf: at(plan.judge),
    labellerPriceOf: at(plan.labeller),
    simulatorPriceOf: at(plan.simulator),
    earlier: figuresOf(
      page.runs.filter((run) => testedEndpoint(run.settings.endpoint, testsOwnAgent(run)) === endpoint),
      limits,
    ),
    ...limits,
  });
}

/**
 * Means over the replies of earlier runs, including second passes. The time per call is derived from the duration of a run and
 * its concurrency, with the calls of judges and labellers.
 */
function figuresOf(runs: readonly RunRecord[], limits: CallLimits): EarlierFigures | null {
  let replies = 0;
  let tokens = 0;
  let milliseconds = 0;
  let rounds = 0;
  let used = 0;
  for (const run of runs) {
    const { summary, started_at, finished_at, progress } = run;
    const answered = progress.interactions_done - progress.interactions_failed;
    if (!summary || answered <= 0 || summary.usage.output_tokens === 0 || started_at === null || finished_at === null)
      continue;
    used++;
    replies += answered;
    tokens += summary.usage.output_tokens;
    milliseconds += finished_at - started_at;
    rounds += roundsOf(run, limits);
  }
  return used === 0 ? null : { runs: used, output_tokens: tokens / replies, latency_ms: milliseconds / rounds };
}

function roundsOf({ summary, settings, progress }: RunRecord, limits: CallLimits): number {
  const { history, concurrency } = settings;
  const { attempts_total: attempts, interactions_total } = progress;
  const planned = { history, concurrency, attempts, turns: Math.ceil(interactions_total / Math.max(1, attempts)) };
  const calls = progress.interactions_done + (summary?.helper_usage?.calls ?? 0);
  return Math.max(calls / concurrentCalls(planned, limits), sequentialCalls(planned));
}
