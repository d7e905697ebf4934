import { denseSymbols } from "./dense-symbols.ts";

/** Parts of the longer side within which the distance is sought, one after the other: most pairs need no more than the second. */
const shares = [0.1, 0.7, 1];

/**
 * Fewest insertions, deletions and replacements that turn one sequence into the other (Levenshtein).
 * Myers' bit-parallel algorithm in the block form of Hyyrö (2003), 32 rows of the table a step, and only the cells
 * that a distance within a limit can pass through (Ukkonen 1985): unrelated texts of 5,000 words take about a tenth of a second.
 */
export function editDistance(left: readonly string[], right: readonly string[]): number {
  const start = commonPrefix(left, right);
  const end = commonSuffix(left, right, start);
  const rows = left.slice(start, left.length - end);
  const columns = right.slice(start, right.length - end);
  const longer = Math.max(rows.length, columns.length);
  if (rows.length === 0 || columns.length === 0) return longer;

  const symbols = denseSymbols(rows, columns);
  const difference = Math.abs(rows.length - columns.length);
  for (const share of shares) {
    const limit = Math.max(difference, Math.ceil(longer * share));
    const distance = distanceWithin(limit, symbols);
    if (distance <= limit) return distance;
  }
  return longer;
}

function commonPrefix(left: readonly string[], right: readonly string[]): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length++;
  return length;
}

function commonSuffix(left: readonly string[], right: readonly string[], from: number): number {
  const limit = Math.min(left.length, right.length) - from;
  let length = 0;
  while (length < limit && left[left.length - 1 - length] === right[right.length - 1 - length]) length++;
  return length;
}

/** The distance if it is at most `limit`, else some number above the limit. */
function distanceWithin(
  limit: number,
  { left, right, size }: { left: Int32Array; right: Int32Array; size: number },
): number {
  const matches = new Int32Array(size);
  // How the value changes from one column to the next along the lowest row done: +1, -1 or neither. Outside the band it rises.
  const up = new Int32Array(right.length).fill(1);
  const down = new Int32Array(right.length);
  const difference = right.length - left.length;
  // Value to the left of column `from`, in the lowest row done.
  let corner = 0;
  let from = 0;

  for (let first = 0; first < left.length; first += 32) {
    const start = Math.max(0, first + Math.floor((difference - limit) / 2));
    for (; from < start; from++) corner += at(up, from) - at(down, from);
    const to = Math.min(right.length, first + 32 + Math.ceil((difference + limit) / 2));
    const block = left.subarray(first, first + 32);
    block.forEach((symbol, row) => (matches[symbol] = at(matches, symbol) | (1 << row)));
    runBlock({ matches, right, up, down, from, to, lowest: block.length - 1 });
    block.forEach((symbol) => (matches[symbol] = 0));
    corner += block.length;
  }
  for (; from < right.length; from++) corner += at(up, from) - at(down, from);
  return corner;
}

interface Block {
  readonly matches: Int32Array;
  readonly right: Int32Array;
  readonly up: Int32Array;
  readonly down: Int32Array;
  readonly from: number;
  readonly to: number;
  readonly lowest: number;
}

function runBlock({ matches, right, up, down, from, to, lowest }: Block): void {
  let positive = -1;
  let negative = 0;
  for (let column = from; column < to; column++) {
    const above = at(up, column);
    const below = at(down, column);
    const equal = at(matches, at(right, column));
    const vertical = equal | negative;
    const carried = equal | below;
    const horizontal = (((carried & positive) + positive) ^ positive) | carried;
    const rising = negative | ~(horizontal | positive);
    const falling = positive & horizontal;
    up[column] = (rising >>> lowest) & 1;
    down[column] = (falling >>> lowest) & 1;
    const shifted = (rising << 1) | above;
    positive = (falling << 1) | below | ~(vertical | shifted);
    negative = shifted & vertical;
  }
}

/** Every index here is in range; the assertion keeps the inner loop free of checks. */
function at(array: Int32Array, index: number): number {
  return array[index] as number;
}
