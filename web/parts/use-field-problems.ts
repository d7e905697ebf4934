import { useEffect, useState } from "react";
import { toApiError } from "../api-error.ts";
import { problemsAt, type FieldProblem } from "./field-problems.ts";

interface FieldProblems {
  /** Without those of fields that were changed since. */
  readonly problems: readonly FieldProblem[];
  /** True while there is something to tell that is not settled by a change. */
  readonly open: boolean;
  /** A field at this pointer was changed: what was said about it may no longer be so. */
  readonly forget: (pointer: string) => void;
}

/** What a service found wrong with a form the last time it was sent. The first field that is marked takes the focus. */
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
