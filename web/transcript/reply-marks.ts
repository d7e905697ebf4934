import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { scoreLabel } from "../parts/runs/scores.ts";

/** A place in a reply that lowers a score, with the reason for people. */
export interface PlacedMark {
  readonly start: number;
  readonly end: number;
  readonly reason: string;
}

/** The marks of all scores of a turn, in the order of the reply. They do not overlap: the first one wins. */
export function marksOf({ marks = {} }: Pick<InteractionResult, "marks">): readonly PlacedMark[] {
  const all = Object.entries(marks)
    .flatMap(([score, list]) => list.map((mark) => ({ ...mark, reason: `${scoreLabel(score)}: ${mark.reason}` })))
    .toSorted((left, right) => left.start - right.start);
  return all.filter(({ start }, index) => index === 0 || start >= (all[index - 1]?.end ?? 0));
}

interface MarkedPart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Splits the parts of a diff where marks begin and end. Removed parts are not in the reply. */
export function withMarks<Text extends MarkedPart>(
  parts: readonly Text[],
  marks: readonly PlacedMark[],
): readonly (Text & { readonly mark?: PlacedMark })[] {
  let at = 0;
  let next = 0;
  return parts.flatMap((part) => {
    if (part.kind === "removed" || marks.length === 0) return [part];
    const pieces: (Text & { readonly mark?: PlacedMark })[] = [];
    const end = at + part.text.length;
    for (let from = at; from < end;) {
      while (next < marks.length && (marks[next]?.end ?? 0) <= from) next++;
      const mark = marks[next];
      const isInside = mark !== undefined && mark.start <= from;
      const to = Math.min(end, mark === undefined ? end : isInside ? mark.end : mark.start);
      const text = part.text.slice(from - at, to - at);
      pieces.push(isInside ? { ...part, text, mark } : { ...part, text });
      from = to;
    }
    at = end;
    return pieces;
  });
}
