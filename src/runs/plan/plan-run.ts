import { compact } from "../../base/compact.ts";
import { shuffle } from "../../base/random.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { EvaluationPlan, EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { refuseInvalid } from "./fields-error.ts";
import { enforceCallLimit, type PlanLimits } from "./limits.ts";
import { withOperatorDefaults } from "./model-target.ts";
import type { PlanHelpers } from "./option-problems.ts";
import { planTarget, withDeclaredTarget } from "./plan-target.ts";
import { verifyQuickChecks, type LocatedCheck } from "./request-checks.ts";
import { surveyRequest, type RequestSurvey } from "./survey-request.ts";

/** A plan and the survey that it was made from. */
export interface RunPlan extends EvaluationPlan {
  readonly survey: RequestSurvey;
  /** Checks that are too slow to compile on the event loop and still have to be verified. */
  readonly slowChecks?: readonly LocatedCheck[];
}

/**
 * Checks a request and returns its plan with every default filled in. Refuses duplicate ids, too many calls or scores, oversized
 * labels, and scorers or judges that cannot be used.
 */
export function planRun(given: EvaluationRequest, limits: PlanLimits, helpers: PlanHelpers = {}): RunPlan {
  const request = withDeclaredTarget(given, helpers);
  const survey = surveyRequest(request, { limits, helpers });
  refuseInvalid(survey.problems);
  const slow = verifyQuickChecks(survey.checks);
  const { counts } = survey;
  enforceInteractionLimit(counts.planned, limits);
  const { test_batch: _, test_name, attempts: _attempts, endpoint, protocol, ...rest } = request;
  const { variants: _variants, vary: _vary, experiment: _experiment, reuse: _reuse, fresh: _fresh, ...asked } = rest;
  const { judge, labeller, simulator, replay_users: _users, ...options } = asked;
  const { attempts, sequence } = survey.attempts;
  enforceCallLimit({ attempts, history: request.history, judge }, counts, limits);
  const scenarios = sequence ? shuffle(survey.scenarios, sequence.seed) : [...survey.scenarios];

  return compact({
    ...options,
    ...planTarget({ endpoint, protocol }),
    attempts,
    sequence,
    judge: judge && withOperatorDefaults(judge, helpers.judge),
    labeller: labeller && withOperatorDefaults(labeller, helpers.labeller),
    simulator: counts.simulated || simulator ? withOperatorDefaults(simulator ?? {}, helpers.simulator) : undefined,
    scenarios,
    test_name: test_name ?? defaultTestName(scenarios),
    ...slow,
    survey,
  });
}

/** One scenario gives a run its name; several give it their common first tag, or their number and the date. */
export function defaultTestName(
  scenarios: readonly { readonly id: string; readonly tags?: readonly string[] | undefined }[],
  now = new Date(),
): string {
  const [first] = scenarios;
  if (scenarios.length < 2) return first?.id ?? "";
  const shared = first?.tags?.find((tag) => scenarios.every(({ tags = [] }) => tags.includes(tag)));
  return shared ?? `${scenarios.length} scenarios, ${now.toISOString().slice(0, 10)}`;
}

function enforceInteractionLimit(interactions: number, limits: PlanLimits): void {
  if (interactions <= limits.interactions) return;
  throw new ServiceError(
    "too_many_interactions",
    `The batch has ${interactions} interactions; at most ${limits.interactions} are allowed (limits.max_interactions).`,
  );
}
