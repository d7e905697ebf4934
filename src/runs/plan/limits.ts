import { ServiceError } from "../../contract/errors/errors.ts";
import type { EvaluationPlan } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { helperCalls } from "../../evaluation/budget/helper-calls.ts";

/** Limits of one request, from the operator's settings. */
export interface PlanLimits {
  readonly attempts: number;
  readonly interactions: number;
  readonly callsPerRun: number;
  readonly metadataKeys: number;
  readonly metadataBytes: number;
  readonly scores: number;
}

/** Calls of one pass through the scenarios of a run, if every turn is answered. */
export interface CallCounts {
  /** Calls of the model under test. */
  readonly interactions: number;
  readonly judge: number;
  readonly labeller: number;
  /** Calls of the judge for the rubrics of expected outcomes, once per attempt. */
  readonly outcome: number;
  /** The most calls of the simulator. */
  readonly simulator: number;
}

/** Counts the calls of scenarios, each passed once. */
export function createCallCounter({ judge, labeller }: Pick<EvaluationPlan, "judge" | "labeller">): {
  readonly counts: CallCounts;
  count(scenario: Scenario): void;
} {
  const counts = { interactions: 0, judge: 0, labeller: 0, outcome: 0, simulator: 0 };
  return {
    counts,
    count(scenario) {
      const { user, interactions } = scenario;
      counts.interactions += interactions.length;
      if (user && !user.recorded) counts.simulator += user.max_turns;
      if (!judge && !labeller) return;
      const helpers = helperCalls({ scenarios: [scenario], judge, labeller });
      counts.judge += helpers.judge;
      counts.labeller += helpers.labeller;
      counts.outcome += helpers.outcome;
    },
  };
}

type HelperAsking = Pick<EvaluationPlan, "attempts" | "history" | "judge">;

/** Refuses a run that would make more calls than the operator allows. */
export function enforceCallLimit(plan: HelperAsking, counts: CallCounts, { callsPerRun }: PlanLimits): void {
  const passes = passesOf(plan);
  const calls = counts.interactions * passes;
  const sum = `${counts.interactions} interactions × ${passes} attempts are ${calls} calls`;
  if (calls > callsPerRun) throw tooMany(sum, callsPerRun);
  const asked = helpersAsked(plan, counts);
  if (calls + asked.calls > callsPerRun)
    throw tooMany(`${sum}, together with ${asked.text} ${calls + asked.calls}`, callsPerRun);
}

/** Refuses rescoring that would make more judge and labeller calls than the operator allows. */
export function enforceHelperCallLimit(plan: HelperAsking, counts: CallCounts, { callsPerRun }: PlanLimits): void {
  const { calls, text } = helpersAsked(plan, counts);
  if (calls > callsPerRun) throw tooMany(`Scoring it again takes ${text}`, callsPerRun);
}

function helpersAsked(plan: HelperAsking, counts: CallCounts): { readonly calls: number; readonly text: string } {
  const times = plan.judge?.scope === "conversation" ? plan.attempts : passesOf(plan);
  const judge = counts.judge * times + counts.outcome * plan.attempts;
  const labeller = counts.labeller * passesOf(plan);
  const simulator = counts.simulator * plan.attempts;
  const parts: string[] = [];
  if (simulator > 0) parts.push(`${simulator} calls of the simulator`);
  if (judge > 0) parts.push(`${judge} calls of the judge`);
  if (labeller > 0) parts.push(`${labeller} calls of the labeller`);
  return { calls: judge + labeller + simulator, text: parts.join(" and ") };
}

const passesOf = ({ attempts, history }: HelperAsking): number => (history === "both" ? attempts * 2 : attempts);

const tooMany = (sum: string, most: number): ServiceError =>
  new ServiceError("too_many_interactions", `${sum}; at most ${most} are allowed (limits.max_calls_per_run).`);
