import { denseSymbols } from "./dense-symbols.ts";

/**
 * Length of the longest sequence of symbols that both hold in the same order, gaps allowed.
 * Bit-parallel (Hyyrö 2004): 32 symbols of the left side a step.
 */
export function longestCommonSubsequence(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return 0;
  const dense = denseSymbols(left, right);
  const matches = new Int32Array(dense.size);
  // One bit per column of `right`: the carry that leaves the block above.
  const carries = new Uint8Array(right.length);
  let length = 0;

  for (let first = 0; first < left.length; first += 32) {
    const block = dense.left.subarray(first, first + 32);
    block.forEach((symbol, row) => (matches[symbol] = (matches[symbol] as number) | (1 << row)));
    const unmatched = runBlock({ matches, right: dense.right, carries });
    length += block.length - bitCount(unmatched & blockMask(block.length));
    block.forEach((symbol) => (matches[symbol] = 0));
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

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
