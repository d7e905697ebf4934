import { distanceWithin } from "./distance-within.ts";
import type { SymbolPair } from "./symbol-pair.ts";

/** Up to so many rows the whole table is filled at once: looking for a limit would cost more than it saves. */
const fewRows = 256;
/** Part of the longer side within which the distance is sought first: texts that are nearly the same end here. */
const firstShare = 0.05;
/** How far a limit goes beyond the distance that the rows done so far let expect. */
const reserve = 1.1;

/**
 * Fewest insertions, deletions and replacements that turn one sequence into the other (Levenshtein).
 * A search within a small limit comes first (Ukkonen 1985). It ends as soon as nothing within the limit is left, and how far it
 * came tells which limit will do: unrelated texts of 5,000 words take about half the work of the whole table.
 */
export function editDistance({ left, right, size }: SymbolPair): number {
  const start = commonPrefix(left, right);
  const end = commonSuffix(left, right, start);
  const rows = left.subarray(start, left.length - end);
  const columns = right.subarray(start, right.length - end);
  const longer = Math.max(rows.length, columns.length);
  if (rows.length === 0 || columns.length === 0) return longer;

  const likely = Math.max(Math.abs(rows.length - columns.length), Math.ceil(longer * firstShare));
  let limit = rows.length <= fewRows ? longer : likely;
  for (;;) {
    const { distance, rowsDone } = distanceWithin(limit, { left: rows, right: columns, size });
    if (distance !== null) return distance;
    const expected = Math.ceil((reserve * limit * rows.length) / rowsDone);
    limit = Math.min(longer, Math.max(2 * limit, expected));
  }
}

function commonPrefix(left: Int32Array, right: Int32Array): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length++;
  return length;
}

function commonSuffix(left: Int32Array, right: Int32Array, from: number): number {
  const limit = Math.min(left.length, right.length) - from;
  let length = 0;
  while (length < limit && left[left.length - 1 - length] === right[right.length - 1 - length]) length++;
  return length;
}
