import { ServiceError, type FieldError } from "../contract/errors.ts";
import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import { batchProblems, type ScenarioInput } from "./batch-problems.ts";
import { boundCalls } from "./bound-calls.ts";
import { refuse } from "./fields-error.ts";
import { withOperator } from "./operator-helper.ts";
import { toScenario } from "./to-scenario.ts";
import { optionProblems, type PlanHelpers } from "./option-problems.ts";
import type { PlannedRun } from "./placed-checks.ts";
import type { PlanLimits } from "./plan-limits.ts";
import { triedChecks } from "./tried-checks.ts";

/**
 * Fills in every default of a request and refuses what cannot be run: doubled ids, too many calls or scores, oversized labels,
 * scorers and judges that cannot be used. `helpers` is what the operator offers beside the model under test.
 */
export function planRun(request: EvaluationRequest, limits: PlanLimits, helpers: PlanHelpers = {}): PlannedRun {
  const { test_batch, test_name, attempts, judge, labeller, ...options } = request;
  const inputs = Array.isArray(test_batch) ? test_batch : [test_batch];
  refuse(attemptProblems(attempts, limits));
  refuse(batchProblems(test_batch, limits));
  refuse(optionProblems(request, helpers));
  const untried = triedChecks(request);
  checkInteractions(inputs, limits);
  const scenarios = inputs.map(toScenario);
  boundCalls({ ...request, scenarios }, limits);

  return {
    ...options,
    attempts,
    ...(judge && { judge: withOperator(judge, helpers.judge) }),
    ...(labeller && { labeller: withOperator(labeller, helpers.labeller) }),
    scenarios,
    test_name: test_name ?? scenarios[0]?.id ?? "",
    ...untried,
  };
}

function attemptProblems(attempts: number, limits: PlanLimits): FieldError[] {
  if (attempts <= limits.attempts) return [];
  return [
    {
      pointer: "/attempts",
      code: "too_big",
      message: `must be at most ${limits.attempts} (REHEARSAL_MAX_ATTEMPTS)`,
      received: String(attempts),
    },
  ];
}

function checkInteractions(inputs: readonly ScenarioInput[], limits: PlanLimits): void {
  const interactions = inputs.reduce((sum, input) => sum + input.interactions.length, 0);
  if (interactions <= limits.interactions) return;
  throw new ServiceError(
    "too_many_interactions",
    `The batch has ${interactions} interactions; at most ${limits.interactions} are allowed (REHEARSAL_MAX_INTERACTIONS).`,
  );
}
