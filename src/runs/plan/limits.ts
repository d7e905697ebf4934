import { ServiceError } from "../../contract/errors.ts";
import type { EvaluationPlan } from "../../contract/schemas/evaluation-request.ts";
import { helperCalls, type HelpedPlan } from "../../evaluation/budget/helper-calls.ts";

/** Limits of one request, from the operator's settings. */
export interface PlanLimits {
  readonly attempts: number;
  readonly interactions: number;
  readonly callsPerRun: number;
  readonly metadataKeys: number;
  readonly metadataBytes: number;
  readonly scores: number;
}

type Asking = HelpedPlan & Pick<EvaluationPlan, "attempts" | "history">;

/** Most calls of the simulator in one attempt of each scenario. */
function simulatorCalls({ scenarios }: Asking): number {
  return scenarios.reduce((sum, { user }) => sum + (user && !user.recorded ? user.max_turns : 0), 0);
}

/** Refuses a run that would make more calls than the operator allows. */
export function enforceCallLimit(plan: Asking, { callsPerRun }: PlanLimits): void {
  const interactions = plan.scenarios.reduce((sum, scenario) => sum + scenario.interactions.length, 0);
  const passes = passesOf(plan);
  const calls = interactions * passes;
  const sum = `${interactions} interactions × ${passes} attempts are ${calls} calls`;
  if (calls > callsPerRun) throw tooMany(sum, callsPerRun);
  const asked = helpersAsked(plan);
  if (calls + asked.calls > callsPerRun)
    throw tooMany(`${sum}, together with ${asked.text} ${calls + asked.calls}`, callsPerRun);
}

/** Refuses rescoring that would make more judge and labeller calls than the operator allows. */
export function enforceHelperCallLimit(plan: Asking, { callsPerRun }: PlanLimits): void {
  const { calls, text } = helpersAsked(plan);
  if (calls > callsPerRun) throw tooMany(`Scoring it again takes ${text}`, callsPerRun);
}

function helpersAsked(plan: Asking): { readonly calls: number; readonly text: string } {
  const once = helperCalls(plan);
  const times = plan.judge?.scope === "conversation" ? plan.attempts : passesOf(plan);
  const judge = once.judge * times + once.outcome * plan.attempts;
  const labeller = once.labeller * passesOf(plan);
  const simulator = simulatorCalls(plan) * plan.attempts;
  const parts = [
    ...(simulator > 0 ? [`${simulator} calls of the simulator`] : []),
    ...(judge > 0 ? [`${judge} calls of the judge`] : []),
    ...(labeller > 0 ? [`${labeller} calls of the labeller`] : []),
  ];
  return { calls: judge + labeller + simulator, text: parts.join(" and ") };
}

const passesOf = ({ attempts, history }: Asking): number => (history === "both" ? attempts * 2 : attempts);

const tooMany = (sum: string, most: number): ServiceError =>
  new ServiceError("too_many_interactions", `${sum}; at most ${most} are allowed (limits.max_calls_per_run).`);
