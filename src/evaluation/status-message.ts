import type { ErrorCode } from "../contract/errors.ts";

/** The `message` of a completed evaluation: how many interactions, and what went wrong with how many, most frequent first. */
export function statusMessage({
  interactions,
  failures,
  taught = { interactions: 0, failed: 0 },
  unscored = 0,
  stopped_by,
}: {
  readonly interactions: number;
  readonly failures: ReadonlyMap<ErrorCode, number>;
  /** With history both: the same turns with reference history, which are in no figure above. */
  readonly taught?: { readonly interactions: number; readonly failed: number };
  /** Replies whose scoring failed. */
  readonly unscored?: number;
  readonly stopped_by?: "budget" | undefined;
}): string {
  const ending = [
    ...(taught.failed > 0 ? [`; with reference history ${taught.failed} of ${taught.interactions} failed`] : []),
    ...(unscored > 0 ? [`; the scoring of ${unscored} failed`] : []),
    ...(stopped_by === "budget" ? ["; stopped before the end: the budget is spent"] : []),
  ].join("");
  const noun = interactions === 1 ? "interaction" : "interactions";
  const causes = [...failures].toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  const failed = causes.reduce((sum, [, count]) => sum + count, 0);
  if (failed === 0) return `Evaluation completed: ${interactions} ${noun}${ending}`;

  const named = causes.length === 1 ? causes[0]?.[0] : causes.map(([code, count]) => `${code} ${count}`).join(", ");
  return `Evaluation completed: ${failed} of ${interactions} ${noun} failed (${named})${ending}`;
}
