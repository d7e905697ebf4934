import type { ScorerSetting } from "../contract/scorer-setting.ts";
import { areQuicklyReady } from "../evaluation/scorers/checks/quickly-ready.ts";
import type { CheckRunnerThread } from "./check-runner.ts";
import { fieldsError } from "./fields-error.ts";
import { scorerFieldErrors } from "./scorer-field-errors.ts";

const tooSlow = {
  pointer: "/scorers",
  code: "too_big",
  message: "take too long to be made ready: use smaller schemas and patterns",
};

/**
 * Rejects when schemas or patterns of a request cannot be used. Those that may take long to be made ready are tried where nobody
 * waits for them; the plan of the run has tried the others.
 */
export async function refuseUnusableScorers(
  scorers: readonly ScorerSetting[] = [],
  { checks, owner }: { readonly checks: CheckRunnerThread; readonly owner: string | null },
): Promise<void> {
  if (areQuicklyReady(scorers)) return;
  const problems = await checks.problemsOf(scorers, { asker: owner });
  const errors = problems === null ? [tooSlow] : scorerFieldErrors(problems);
  if (errors.length > 0) throw fieldsError(errors);
}
