import type { FieldError } from "../contract/service-error.ts";
import type { ScorerProblem } from "../evaluation/scorers/scorer-problems.ts";

/** What is wrong with the scorers of a request, each with its place. */
export function scorerFieldErrors(problems: readonly ScorerProblem[]): FieldError[] {
  return problems.map(({ index, field, code, message }) => ({
    pointer: `/scorers/${index}${field === "" ? "" : `/${field}`}`,
    code,
    message,
  }));
}
