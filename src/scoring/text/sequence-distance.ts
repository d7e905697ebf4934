import type { SymbolPair } from "./symbols.ts";

/** Up to this many rows the whole table is filled: searching for a limit would cost more than it saves. */
const fewRows = 256;
/** The first limit as a share of the longer side: enough for nearly equal texts. */
const firstShare = 0.05;
/** Margin of the next limit over the distance extrapolated from the rows done. */
const reserve = 1.1;

/**
 * Levenshtein distance: the fewest insertions, deletions and replacements. Searches within a small limit first (Ukkonen 1985) and
 * extrapolates the next limit from how far it came: unrelated texts of 5,000 words take about half the work of the whole table.
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
    const { distance, rowsDone } = boundedEditDistance(limit, { left: rows, right: columns, size });
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

/** Rows filled by one pass over the columns: two 32-bit words. */
const rowsAtOnce = 64;

/** For each symbol, the rows of the block that hold it, as bits. */
interface MatchTables {
  readonly upper: Int32Array;
  readonly lower: Int32Array;
}

/**
 * The edit distance if it is at most `limit`, else null with the number of rows after which that was certain. Myers'
 * bit-parallel algorithm in the block form of Hyyrö (2003), restricted to cells that a path within the limit can reach.
 * Requires two non-empty sides whose lengths differ by at most `limit`.
 */
export function boundedEditDistance(
  limit: number,
  { left, right, size }: SymbolPair,
): { distance: number | null; rowsDone: number } {
  const tables = { upper: new Int32Array(size), lower: new Int32Array(size) };
  // Change of the value at each column of the lowest row done: bit 0 is +1, bit 1 is -1. Beyond `to` it is +1.
  const steps = new Uint8Array(right.length).fill(1);
  // The columns in use, and the values of the lowest row done before the first and after the last of them.
  let from = 0;
  let to = 0;
  let valueBefore = 0;
  let valueAfter = 0;

  for (let done = 0; done < left.length;) {
    const block = left.subarray(done, done + rowsAtOnce);
    // Cells further right cost more than the limit to reach and return from. Along a row the column grows at least as fast as
    // the value, so the last known value bounds all of them.
    const furthest = Math.floor((limit + right.length - left.length - done + to - valueAfter) / 2);
    const next = Math.min(right.length, Math.max(to, done + block.length + furthest));
    valueAfter += next - to;
    to = next;

    mark(tables, block);
    valueAfter += fillRows({ ...tables, right, steps, from, to, rows: block.length });
    unmark(tables, block);
    valueBefore += block.length;
    done += block.length;

    // Paths never turn left, so cells at the left end that lead beyond the limit can be dropped.
    const tilt = right.length - left.length + done;
    while (done < left.length && valueBefore + Math.abs(tilt - from) > limit) {
      if (from === to) return { distance: null, rowsDone: done };
      valueBefore += change(steps[from] as number);
      from++;
    }
  }
  return { distance: to === right.length && valueAfter <= limit ? valueAfter : null, rowsDone: left.length };
}

function change(step: number): number {
  return (step & 1) - (step >> 1);
}

function mark({ upper, lower }: MatchTables, block: Int32Array): void {
  for (let row = 0; row < block.length; row++) {
    const symbol = block[row] as number;
    const table = row < 32 ? upper : lower;
    table[symbol] = (table[symbol] as number) | (1 << row);
  }
}

function unmark({ upper, lower }: MatchTables, block: Int32Array): void {
  for (let row = 0; row < block.length; row++) {
    upper[block[row] as number] = 0;
    lower[block[row] as number] = 0;
  }
}

interface Rows extends MatchTables {
  readonly right: Int32Array;
  readonly steps: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/**
 * Fills up to 64 rows, column by column. Stores the changes of the 64th row in `steps` (unused for a shorter block, which is the
 * last one) and returns by how much the value after the last column grew from the first row to the last.
 */
function fillRows({ upper, lower, right, steps, from, to, rows }: Rows): number {
  let positive1 = -1;
  let negative1 = 0;
  let positive2 = -1;
  let negative2 = 0;
  for (let column = from; column < to; column++) {
    const symbol = right[column] as number;
    const step = steps[column] as number;

    const up1 = step & 1;
    const down1 = step >> 1;
    const equal1 = upper[symbol] as number;
    const vertical1 = equal1 | negative1;
    const carried1 = equal1 | down1;
    const horizontal1 = (((carried1 & positive1) + positive1) ^ positive1) | carried1;
    const rising1 = negative1 | ~(horizontal1 | positive1);
    const falling1 = positive1 & horizontal1;
    const shifted1 = (rising1 << 1) | up1;
    positive1 = (falling1 << 1) | down1 | ~(vertical1 | shifted1);
    negative1 = shifted1 & vertical1;

    const up2 = rising1 >>> 31;
    const down2 = falling1 >>> 31;
    const equal2 = lower[symbol] as number;
    const vertical2 = equal2 | negative2;
    const carried2 = equal2 | down2;
    const horizontal2 = (((carried2 & positive2) + positive2) ^ positive2) | carried2;
    const rising2 = negative2 | ~(horizontal2 | positive2);
    const falling2 = positive2 & horizontal2;
    const shifted2 = (rising2 << 1) | up2;
    positive2 = (falling2 << 1) | down2 | ~(vertical2 | shifted2);
    negative2 = shifted2 & vertical2;

    steps[column] = (rising2 >>> 31) | ((falling2 >>> 31) << 1);
  }
  const inUpper = lowBits(Math.min(rows, 32));
  const inLower = lowBits(Math.max(0, rows - 32));
  return (
    bitCount(positive1 & inUpper) -
    bitCount(negative1 & inUpper) +
    bitCount(positive2 & inLower) -
    bitCount(negative2 & inLower)
  );
}

function lowBits(count: number): number {
  return count === 32 ? -1 : (1 << count) - 1;
}

/**
 * Length of the longest common subsequence, bit-parallel (Hyyrö 2004): 32 symbols of the left side per step.
 */
export function longestCommonSubsequence({ left, right, size }: SymbolPair): number {
  const matches = new Int32Array(size);
  // For each column of `right`, the carry out of the block above.
  const carries = new Uint8Array(right.length);
  let length = 0;

  for (let first = 0; first < left.length; first += 32) {
    const block = left.subarray(first, first + 32);
    for (let row = 0; row < block.length; row++) {
      const symbol = block[row] as number;
      matches[symbol] = (matches[symbol] as number) | (1 << row);
    }
    const unmatched = runBlock({ matches, right, carries });
    length += block.length - bitCount(unmatched & lowBits(block.length));
    for (let row = 0; row < block.length; row++) matches[block[row] as number] = 0;
  }
  return length;
}

function runBlock({
  matches,
  right,
  carries,
}: {
  matches: Int32Array;
  right: Int32Array;
  carries: Uint8Array;
}): number {
  let state = -1;
  for (let column = 0; column < right.length; column++) {
    const common = state & (matches[right[column] as number] as number);
    const sum = (state >>> 0) + (common >>> 0) + (carries[column] as number);
    carries[column] = sum > 0xffffffff ? 1 : 0;
    state = sum | (state & ~common);
  }
  return state;
}

/** Number of set bits of a 32-bit word. */
function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
