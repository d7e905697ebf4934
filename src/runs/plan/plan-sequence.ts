import { compact } from "../../base/compact.ts";
import type { FieldError } from "../../contract/errors/errors.ts";
import type { Budget } from "../../contract/schemas/budget.ts";
import type {
  EvaluationPlan,
  EvaluationRequest,
  RunSettings,
  SequencePlan,
} from "../../contract/schemas/evaluation-request.ts";
import { callFigures } from "../../contract/schemas/margins.ts";
import { fewestScenarios } from "../../evaluation/statistics/sequence.ts";

export interface PlannedAttempts {
  readonly attempts: number;
  readonly sequence?: SequencePlan | undefined;
}

/** Splits the requested attempts into their number and the comparison that decides when to stop. */
export function planAttempts(asked: EvaluationRequest["attempts"]): PlannedAttempts {
  if (typeof asked === "number") return { attempts: asked };
  const { until: _decided, each, seed = newSeed(), against = {}, ...rest } = asked;
  return { attempts: each, sequence: { ...rest, against, seed, side: "candidate" } };
}

export const newSeed = (): number => Math.floor(Math.random() * 2 ** 31);

/** Refuses a comparison that could never be decided, before the first call. */
export function sequenceProblems(
  { sequence }: PlannedAttempts,
  { scenarios, budget, scores }: { scenarios: number; budget: Budget | undefined; scores: (name: string) => boolean },
): FieldError[] {
  if (!sequence) return [];
  const { score, against, margin } = sequence;
  const { threshold } = against;
  const problems: FieldError[] = [];
  if (Object.keys(against).length === 0)
    problems.push({ pointer: "/attempts/against", code: "required", message: "is required without variants" });
  if (!scores(score)) {
    const isFigure = Object.values<string>(callFigures).includes(score);
    const message = isFigure
      ? "has no upper end, so its sequence cannot be bounded: compare it with not_worse_by after the runs"
      : "is not a score of this run";
    problems.push({ pointer: "/attempts/score", code: "unknown_score", message, received: score });
  }
  const scale = threshold === undefined ? {} : { lowest: -threshold, highest: 1 - threshold };
  const fewest = fewestScenarios({ planned: scenarios, ...scale, margin });
  if (scenarios < fewest)
    problems.push({
      pointer: "/attempts/until",
      code: "too_small",
      message: `cannot be decided with ${scenarios} ${scenarios === 1 ? "scenario" : "scenarios"}, however clear the difference is: it takes at least ${fewest}`,
    });
  if (against.model_id !== undefined && budget?.calls === 1)
    problems.push({
      pointer: "/budget/calls",
      code: "too_small",
      message: "must be at least 2: both sides need calls",
    });
  return problems;
}

/** The settings of both runs of a comparison of two models. Each has half of the budget, so that both together keep it. */
export function opposedSettings(
  settings: RunSettings,
  ids: { readonly candidate: string; readonly baseline: string },
): { readonly candidate: RunSettings; readonly baseline: RunSettings } | null {
  const { sequence, budget, gate: _gate, ...shared } = settings;
  if (sequence?.against.model_id === undefined) return null;
  const { model_id, endpoint = shared.endpoint, protocol = shared.protocol, ...against } = sequence.against;
  const { system_prompt = shared.system_prompt, parameters = shared.parameters } = against;
  const half = budget && { budget: sharedBudget(budget, 2) };
  return {
    candidate: { ...settings, ...half, sequence: { ...sequence, opponent: ids.baseline } },
    baseline: compact({
      ...shared,
      ...half,
      model_id,
      endpoint,
      protocol,
      system_prompt,
      parameters,
      sequence: { ...sequence, side: "baseline", opponent: ids.candidate },
    }),
  };
}

/** The plan of the other model; null when there is none. */
export function opposedPlan({ scenarios, ...settings }: EvaluationPlan): EvaluationPlan | null {
  const sides = opposedSettings(settings, { candidate: "", baseline: "" });
  return sides && { ...sides.baseline, scenarios };
}

/** The part of a budget that each of several runs gets. Time passes for all of them alike. */
export function sharedBudget({ calls, tokens, money, seconds }: Budget, runs: number): Budget {
  return compact({
    calls: calls === undefined ? undefined : Math.floor(calls / runs),
    tokens: tokens === undefined ? undefined : Math.max(1, Math.floor(tokens / runs)),
    money: money === undefined ? undefined : money / runs,
    seconds,
  });
}
