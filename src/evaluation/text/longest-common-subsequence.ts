import { bitCount } from "./bit-count.ts";
import type { SymbolPair } from "./symbol-pair.ts";

/**
 * Length of the longest sequence of symbols that both hold in the same order, gaps allowed.
 * Bit-parallel (Hyyrö 2004): 32 symbols of the left side a step.
 */
export function longestCommonSubsequence({ left, right, size }: SymbolPair): number {
  const matches = new Int32Array(size);
  // One bit per column of `right`: the carry that leaves the block above.
  const carries = new Uint8Array(right.length);
  let length = 0;

  for (let first = 0; first < left.length; first += 32) {
    const block = left.subarray(first, first + 32);
    for (let row = 0; row < block.length; row++) {
      const symbol = block[row] as number;
      matches[symbol] = (matches[symbol] as number) | (1 << row);
    }
    const unmatched = runBlock({ matches, right, carries });
    length += block.length - bitCount(unmatched & blockMask(block.length));
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

function blockMask(length: number): number {
  return length === 32 ? -1 : (1 << length) - 1;
}
