import type { ApiError } from "../api-error.ts";

export type FieldProblem = ApiError["fields"][number];

/** The problems at a pointer or below it. */
export const problemsAt = (problems: readonly FieldProblem[], pointer: string): FieldProblem[] =>
  problems.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`));
