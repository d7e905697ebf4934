import { distance } from "fastest-levenshtein";

/** Something a caller may have meant: `id` is what to send, `label` what it is called, when that differs. */
export interface Candidate {
  readonly id: string;
  readonly label?: string;
}

const longestCompared = 128;

/** Up to `limit` ids nearest to what was sent, nearest first, without repeats. */
export function nearestIds(value: string, candidates: readonly Candidate[], limit = 5): string[] {
  const ranked = candidates
    .map((candidate) => ({ id: candidate.id, difference: differenceTo(value, candidate) }))
    .toSorted((left, right) => left.difference - right.difference);
  return [...new Set(ranked.map(({ id }) => id))].slice(0, limit);
}

/** 0 for equal up to 1 for nothing alike; the part after the last slash counts alone too, as people forget the provider. */
function differenceTo(value: string, { id, label = id }: Candidate): number {
  const parts = [id, label, id.slice(id.lastIndexOf("/") + 1)];
  return Math.min(...parts.map((part) => relativeDistance(fold(value), fold(part))));
}

function relativeDistance(left: string, right: string): number {
  const length = Math.max(left.length, right.length, 1);
  const shared = left.length > 2 && (right.includes(left) || left.includes(right)) ? 0.5 : 1;
  return (shared * distance(left, right)) / length;
}

function fold(text: string): string {
  return text.slice(0, longestCompared).toLowerCase();
}
