import type { FieldError } from "../../contract/errors/errors.ts";
import type { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import type { TurnCheck, UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { compileQuickly } from "../../evaluation/checks/offload-check.ts";
import { compilationProblems, distinctChecks, type ScorerProblem } from "../../evaluation/checks/scorer-problems.ts";
import type { CheckRunnerThread } from "../threads/check-runner.ts";
import { refuseInvalid } from "./fields-error.ts";

/** A check of a request, and its pointer. */
export interface LocatedCheck {
  readonly pointer: string;
  readonly setting: UserScorerSetting;
  /** True when the pointer is that of the pattern or schema itself, not of a check that has it. */
  readonly exact?: true;
}

/** The checks of a turn, and their pointer. */
export interface LocatedTurn {
  readonly pointer: string;
  readonly checks: readonly TurnCheck[];
}

/** Every check of a request; checks repeated by many turns are listed once. */
export function locateChecks(
  scorers: NonNullable<EvaluationRequest["scorers"]>,
  turns: readonly LocatedTurn[],
): LocatedCheck[] {
  const ofRun = scorers.flatMap((setting, index) =>
    typeof setting === "string" ? [] : [{ pointer: `/scorers/${index}`, setting }],
  );
  const ofTurns = distinctChecks(turns.map(({ checks }) => checks)).map(({ turn, index, setting }) => ({
    pointer: `${turns[turn]?.pointer ?? ""}/${index}`,
    setting,
  }));
  return [...ofRun, ...ofTurns];
}

export function checkError(pointer: string, { field, code, message }: Omit<ScorerProblem, "index">): FieldError {
  return { pointer: `${pointer}${field === "" ? "" : `/${field}`}`, code, message };
}

export function checkErrors(located: readonly LocatedCheck[], problems: readonly ScorerProblem[]): FieldError[] {
  return problems.map((problem) => {
    const { pointer = "", exact } = located[problem.index] ?? {};
    return checkError(pointer, exact ? { ...problem, field: "" } : problem);
  });
}

/** Refuses checks that cannot be compiled. Checks that may be slow to compile are returned for `verifySlowChecks`. */
export function verifyQuickChecks(
  checks: readonly LocatedCheck[],
): { readonly slowChecks: readonly LocatedCheck[] } | undefined {
  const settings = checks.map(({ setting }) => setting);
  if (!compileQuickly(settings)) return { slowChecks: checks };
  refuseInvalid(checkErrors(checks, compilationProblems(settings)));
  return undefined;
}

const tooSlow = {
  code: "too_big",
  message: "takes too long to compile, alone or with the other schemas and patterns: use smaller ones",
};

/** Compiles slow checks in a thread and rejects when one cannot be used. */
export async function verifySlowChecks(
  slowChecks: readonly LocatedCheck[] = [],
  { checks, owner }: { readonly checks: CheckRunnerThread; readonly owner: string | null },
): Promise<void> {
  if (slowChecks.length === 0) return;
  const problems = await checks.problemsOf(
    slowChecks.map(({ setting }) => setting),
    { asker: owner },
  );
  const errors = problems === null ? [{ pointer: longest(slowChecks), ...tooSlow }] : checkErrors(slowChecks, problems);
  refuseInvalid(errors);
}

/** The pointer of the largest check. */
function longest(located: readonly LocatedCheck[]): string {
  const sizes = located.map(({ pointer, setting }) => ({ pointer, size: JSON.stringify(setting).length }));
  return sizes.toSorted((left, right) => right.size - left.size)[0]?.pointer ?? "";
}
