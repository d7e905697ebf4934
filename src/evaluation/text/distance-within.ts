import { bitCount } from "./bit-count.ts";
import type { SymbolPair } from "./symbol-pair.ts";

/** Rows of the table that one pass over the columns fills: two words of 32 bits. */
const rowsAtOnce = 64;

/** Rows of `left` that one pass fills, as bits by symbol. */
interface MatchTables {
  readonly upper: Int32Array;
  readonly lower: Int32Array;
}

/**
 * The edit distance if it is at most `limit`, else null with the number of rows after which that was certain.
 * Myers' bit-parallel algorithm in the block form of Hyyrö (2003), and only over cells that a path within the limit can use.
 * `limit` is at least the difference of the lengths, and neither side is empty.
 */
export function distanceWithin(
  limit: number,
  { left, right, size }: SymbolPair,
): { distance: number | null; rowsDone: number } {
  const tables = { upper: new Int32Array(size), lower: new Int32Array(size) };
  // How the value changes at each column along the lowest row done: bit 0 up by one, bit 1 down by one. Beyond `to` it rises.
  const steps = new Uint8Array(right.length).fill(1);
  // The columns in use, and the values in the lowest row done before the first of them and after the last.
  let from = 0;
  let to = 0;
  let valueBefore = 0;
  let valueAfter = 0;

  for (let done = 0; done < left.length;) {
    const block = left.subarray(done, done + rowsAtOnce);
    // Cells further right cost more to reach and to come back from than the limit allows. Along a row the column grows at
    // least as fast as the value, so the last value known bounds all of them.
    const furthest = Math.floor((limit + right.length - left.length - done + to - valueAfter) / 2);
    const next = Math.min(right.length, Math.max(to, done + block.length + furthest));
    valueAfter += next - to;
    to = next;

    mark(tables, block);
    valueAfter += fillRows({ ...tables, right, steps, from, to, rows: block.length });
    unmark(tables, block);
    valueBefore += block.length;
    done += block.length;

    // Paths never turn back to the left, so cells at the left end that lead beyond the limit are done with.
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
 * Fills up to 64 rows, column by column. Leaves in `steps` how the 64th row changes (nobody reads that of a shorter block, which
 * is the last one) and returns by how much the value after the last column grew from the first row to the last.
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
