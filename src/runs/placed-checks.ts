import type { EvaluationPlan, EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import type { TurnCheck, UserScorerSetting } from "../contract/schemas/scorer-setting.ts";
import type { FieldError } from "../contract/errors.ts";
import type { ScorerProblem } from "../evaluation/scorers/scorer-problems.ts";
import { distinctChecks } from "../evaluation/scorers/scorer-problems.ts";

/** A check of a request, and where in it that stands. */
export interface PlacedCheck {
  readonly pointer: string;
  readonly setting: UserScorerSetting;
}

/** A plan, and the checks of it that may take long to be made ready: nobody has tried them yet. */
export type PlannedRun = EvaluationPlan & { readonly untried?: readonly PlacedCheck[] };

/** The checks of a turn, and where they stand. */
interface PlacedTurn {
  readonly pointer: string;
  readonly checks: readonly TurnCheck[];
}

/** The turns of a request that bring checks of their own. */
export function turnsWithChecks(batch: EvaluationRequest["test_batch"]): PlacedTurn[] {
  const several = Array.isArray(batch);
  return (several ? batch : [batch]).flatMap(({ interactions }, index) =>
    interactions.flatMap(({ checks = [] }, turn) =>
      checks.length === 0
        ? []
        : [{ pointer: `/test_batch${several ? `/${index}` : ""}/interactions/${turn}/checks`, checks }],
    ),
  );
}

/** Every check of a request; what many turns say, once. */
export function placedChecks({
  scorers = [],
  test_batch,
}: Pick<EvaluationRequest, "scorers" | "test_batch">): PlacedCheck[] {
  const ofRun = scorers.flatMap((setting, index) =>
    typeof setting === "string" ? [] : [{ pointer: `/scorers/${index}`, setting }],
  );
  const turns = turnsWithChecks(test_batch);
  const ofTurns = distinctChecks(turns.map(({ checks }) => checks)).map(({ turn, index, setting }) => ({
    pointer: `${turns[turn]?.pointer ?? ""}/${index}`,
    setting,
  }));
  return [...ofRun, ...ofTurns];
}

/** What is wrong with a check, told of its place. */
export function checkError(place: string, { field, code, message }: ScorerProblem): FieldError {
  return { pointer: `${place}${field === "" ? "" : `/${field}`}`, code, message };
}

/** What is wrong with some of a list of checks. */
export function checkErrors(placed: readonly PlacedCheck[], problems: readonly ScorerProblem[]): FieldError[] {
  return problems.map((problem) => checkError(placed[problem.index]?.pointer ?? "", problem));
}
