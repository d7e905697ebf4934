import type { RunEstimate } from "../contract/estimate.ts";
import type { EvaluationPlan, LabellerSettings } from "../contract/evaluation-request.ts";
import type { RunRecord, Store } from "../contract/store.ts";
import { estimateRun, type EarlierFigures } from "../evaluation/estimate-run.ts";
import type { PriceOf } from "../evaluation/helper-usage.ts";
import { helperTarget, type ModelTarget } from "./model-target.ts";
import { testedEndpoint } from "./tested-endpoint.ts";

/** Earlier runs that are looked at. */
const lookBack = 5;

/** What a plan would take, from earlier runs of the same model where there are any. Calls no model. */
export async function estimatePlan(
  plan: EvaluationPlan,
  {
    store,
    priceOf,
    concurrency,
    owner,
    tied = false,
  }: {
    store: Store;
    priceOf?: ((target: ModelTarget) => PriceOf) | undefined;
    concurrency: number;
    owner: string | null;
    /** Whether the plan is for an agent that its command starts itself. */
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
    earlier: figuresOf(
      page.runs.filter((run) => testedEndpoint(run.settings.endpoint, run.tied) === endpoint),
      concurrency,
    ),
    concurrency,
  });
}

/** Means over the replies of earlier runs; the time of a call from how long a run took with so many side by side. */
function figuresOf(runs: readonly RunRecord[], concurrency: number): EarlierFigures | null {
  let replies = 0;
  let tokens = 0;
  let milliseconds = 0;
  let used = 0;
  for (const { summary, started_at, finished_at, settings, progress } of runs) {
    const answered = (summary?.interactions ?? 0) - (summary?.failed ?? 0);
    if (!summary || answered <= 0 || summary.usage.output_tokens === 0 || started_at === null || finished_at === null)
      continue;
    const lanes = Math.max(1, Math.min(settings.concurrency ?? concurrency, progress.attempts_total));
    used++;
    replies += answered;
    tokens += summary.usage.output_tokens;
    milliseconds += (finished_at - started_at) * lanes;
  }
  return used === 0 ? null : { runs: used, output_tokens: tokens / replies, latency_ms: milliseconds / replies };
}
