import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import { compileQuickly } from "../evaluation/scorers/checks/offload-check.ts";
import { compilationProblems } from "../evaluation/scorers/scorer-problems.ts";
import { refuse } from "./fields-error.ts";
import { checkErrors, placedChecks, type PlannedRun } from "./placed-checks.ts";

/** Refuses checks that cannot be used. Those that may take long to be made ready are left to be tried elsewhere. */
export function triedChecks(
  request: Pick<EvaluationRequest, "scorers" | "test_batch">,
): Pick<PlannedRun, "untried"> | undefined {
  const checks = placedChecks(request);
  const settings = checks.map(({ setting }) => setting);
  if (!compileQuickly(settings)) return { untried: checks };
  refuse(checkErrors(checks, compilationProblems(settings)));
  return undefined;
}
