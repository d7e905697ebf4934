import type { EvaluationRequest } from "../contract/evaluation-request.ts";
import type { FieldError } from "../contract/service-error.ts";
import { areQuicklyReady } from "../evaluation/scorers/checks/quickly-ready.ts";
import { readinessProblems } from "../evaluation/scorers/scorer-problems.ts";
import { refuse } from "./fields-error.ts";
import { checkErrors, placedChecks, type PlacedCheck, type PlannedRun } from "./placed-checks.ts";

/** Refuses checks that cannot be used. Those that may take long to be made ready are left to be tried elsewhere. */
export function triedChecks(
  request: Pick<EvaluationRequest, "scorers" | "test_batch">,
): Pick<PlannedRun, "untried"> | undefined {
  const checks = placedChecks(request);
  const problems = quickProblems(checks);
  if (!problems) return { untried: checks };
  refuse(problems);
  return undefined;
}

/** What keeps checks from being used; null where it may take long to find out. */
export function quickProblems(checks: readonly PlacedCheck[]): FieldError[] | null {
  const settings = checks.map(({ setting }) => setting);
  return areQuicklyReady(settings) ? checkErrors(checks, readinessProblems(settings)) : null;
}
