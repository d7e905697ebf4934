import type { FieldError } from "../contract/errors.ts";
import { compileQuickly } from "../evaluation/scorers/checks/offload-check.ts";
import { createCompilationProblems } from "../evaluation/scorers/scorer-problems.ts";
import { batchProblems, type ScenarioInput } from "./batch-problems.ts";
import { scorersProblems, type PlanHelpers } from "./option-problems.ts";
import { checkErrors, placedChecks } from "./placed-checks.ts";
import type { PlanLimits } from "./plan-limits.ts";

export interface ScenarioRules {
  readonly limits: PlanLimits;
  readonly helpers: PlanHelpers;
  /** Tries every check, however long that takes. Default: none where all of them together may take long. */
  readonly patient?: boolean;
}

/** What every run of a scenario would be refused for, scenario by scenario, with pointers from each on. */
export function scenarioProblems(
  scenarios: readonly ScenarioInput[],
  { limits, helpers, patient = false }: ScenarioRules,
): FieldError[][] {
  const placed = scenarios.map((test_batch) => placedChecks({ test_batch }));
  const tries = patient || compileQuickly(placed.flat().map(({ setting }) => setting));
  const readinessProblems = createCompilationProblems();
  return scenarios.map((scenario, index) => {
    const checks = placed[index] ?? [];
    const problems = [
      ...batchProblems(scenario, limits),
      ...scorersProblems({ test_batch: scenario }, helpers),
      ...(tries ? checkErrors(checks, readinessProblems(checks.map(({ setting }) => setting))) : []),
    ];
    return problems.map((problem) => ({ ...problem, pointer: problem.pointer.slice("/test_batch".length) }));
  });
}
