import type { ErrorCode } from "../contract/errors.ts";

/** The `message` of a completed evaluation: how many interactions, and what went wrong with how many, most frequent first. */
export function statusMessage({
  interactions,
  failures,
}: {
  readonly interactions: number;
  readonly failures: ReadonlyMap<ErrorCode, number>;
}): string {
  const noun = interactions === 1 ? "interaction" : "interactions";
  const causes = [...failures].toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  const failed = causes.reduce((sum, [, count]) => sum + count, 0);
  if (failed === 0) return `Evaluation completed: ${interactions} ${noun}`;

  const named = causes.length === 1 ? causes[0]?.[0] : causes.map(([code, count]) => `${code} ${count}`).join(", ");
  return `Evaluation completed: ${failed} of ${interactions} ${noun} failed (${named})`;
}
