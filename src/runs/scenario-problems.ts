import type { FieldError } from "../contract/service-error.ts";
import { batchProblems, type ScenarioInput } from "./batch-problems.ts";
import { scorersProblems, type PlanHelpers } from "./option-problems.ts";
import { placedChecks } from "./placed-checks.ts";
import type { PlanLimits } from "./plan-limits.ts";
import { quickProblems } from "./tried-checks.ts";

/** What every run of a scenario would be refused for, with pointers from the scenario on; checks that take long to try are not tried. */
export function scenarioProblems(scenario: ScenarioInput, limits: PlanLimits, helpers: PlanHelpers): FieldError[] {
  const problems = [
    ...batchProblems(scenario, limits),
    ...scorersProblems({ test_batch: scenario }, helpers),
    ...(quickProblems(placedChecks({ test_batch: scenario })) ?? []),
  ];
  return problems.map((problem) => ({ ...problem, pointer: problem.pointer.slice("/test_batch".length) }));
}
