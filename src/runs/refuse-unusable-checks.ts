import type { CheckRunnerThread } from "./check-runner.ts";
import { refuse } from "./fields-error.ts";
import { checkErrors, type PlacedCheck } from "./placed-checks.ts";

const tooSlow = {
  code: "too_big",
  message: "takes too long to be made ready, alone or with the other schemas and patterns: use smaller ones",
};

/** Rejects when schemas or patterns of a request cannot be used. They are tried where nobody waits for them. */
export async function refuseUnusableChecks(
  untried: readonly PlacedCheck[] = [],
  { checks, owner }: { readonly checks: CheckRunnerThread; readonly owner: string | null },
): Promise<void> {
  if (untried.length === 0) return;
  const problems = await checks.problemsOf(
    untried.map(({ setting }) => setting),
    { asker: owner },
  );
  const errors = problems === null ? [{ pointer: longest(untried), ...tooSlow }] : checkErrors(untried, problems);
  refuse(errors);
}

/** Where the largest one stands. */
function longest(placed: readonly PlacedCheck[]): string {
  const sizes = placed.map(({ pointer, setting }) => ({ pointer, size: JSON.stringify(setting).length }));
  return sizes.toSorted((left, right) => right.size - left.size)[0]?.pointer ?? "";
}
