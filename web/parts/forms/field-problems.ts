import { useEffect, useState } from "react";
import { toApiError, type ApiError } from "../../api/api-error.ts";

export type FieldProblem = ApiError["fields"][number];

/** The problems at a pointer or below it. */
export const problemsAt = (problems: readonly FieldProblem[], pointer: string): FieldProblem[] =>
  problems.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`));

interface FieldProblems {
  /** Problems of fields that were not changed since. */
  readonly problems: readonly FieldProblem[];
  /** True until every reported field was changed. */
  readonly open: boolean;
  /** Drops the problems of a field that was changed. */
  readonly forget: (pointer: string) => void;
}

/** The field problems of the last submit. Focuses the first invalid field. */
export function useFieldProblems(error: Error | null): FieldProblems {
  const [changed, setChanged] = useState<{ error: Error | null; pointers: readonly string[] }>({ error, pointers: [] });
  useEffect(() => {
    if (error) document.querySelector<HTMLElement>("form [aria-invalid=true]")?.focus();
  }, [error]);
  const found = error ? toApiError(error).fields : [];
  const forgotten = changed.error === error ? changed.pointers : [];
  const settled = new Set(forgotten.flatMap((pointer) => problemsAt(found, pointer)));
  const problems = found.filter((problem) => !settled.has(problem));
  return {
    problems,
    open: error !== null && (found.length === 0 || problems.length > 0),
    forget: (pointer) =>
      setChanged((before) => ({ error, pointers: [...(before.error === error ? before.pointers : []), pointer] })),
  };
}

export function fieldProblemText({ pointer, code, message }: FieldProblem): string {
  const missing = message === "is required" || message === "must have at least 1 character";
  if (pointer === "/test_batch" && (missing || code === "invalid_union")) return "Add at least one scenario";
  if (missing) return "Required";
  return importMessage(message);
}

/** Replaces the CLI's mapping option in a message with the form fields of the page. */
export const importMessage = (message: string): string =>
  message
    .replace(/with the mapping \w+=…/, "above, under Columns")
    .replace(/; to expect them, use expect_recorded$/, "");

/** The received value, unless it spans several lines. */
export function receivedText({ received }: FieldProblem): string | null {
  return received && !received.includes("\n") ? received : null;
}

const nouns: Readonly<Record<string, string>> = {
  test_batch: "scenario",
  interactions: "turn",
  references: "reference",
  rubrics: "question",
  scorers: "score",
};

/** "/test_batch/2/interactions/0/user_message" → "scenario 3, turn 1, user message". */
export function pointerLabel(pointer: string): string {
  if (pointer === "/text") return "the file";
  const segments = pointer.split("/").slice(1);
  const words = segments.flatMap((segment, index) => {
    const before = segments[index - 1] ?? "";
    if (/^\d+$/.test(segment)) return [`${nouns[before] ?? before.replaceAll("_", " ")} ${Number(segment) + 1}`];
    const counted = /^\d+$/.test(segments[index + 1] ?? "");
    if (counted || segment === "test_batch") return [];
    return [segment.replaceAll("_", " ")];
  });
  return words.join(", ");
}
