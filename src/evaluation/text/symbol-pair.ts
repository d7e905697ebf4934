/** Two sequences as numbers from 0 up to `size`: the same number on both sides is the same symbol. */
export interface SymbolPair {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly size: number;
}

/** Code points below this need no numbers of their own: a table over all of them is small enough. */
const smallAlphabet = 256;

/** Numbers words in order of appearance, so that tables over them stay small. */
export function toWordPair(left: readonly string[], right: readonly string[]): SymbolPair {
  const numbers = new Map<string, number>();
  return { left: numberAll(left, numbers), right: numberAll(right, numbers), size: numbers.size };
}

/** Numbers code points; those of most western texts are their own numbers. */
export function toCharacterPair(left: Int32Array, right: Int32Array): SymbolPair {
  if (isSmall(left) && isSmall(right)) return { left, right, size: smallAlphabet };
  const numbers = new Map<number, number>();
  return { left: numberAll(left, numbers), right: numberAll(right, numbers), size: numbers.size };
}

function isSmall(codePoints: Int32Array): boolean {
  for (let index = 0; index < codePoints.length; index++) {
    if ((codePoints[index] as number) >= smallAlphabet) return false;
  }
  return true;
}

function numberAll<Symbol>(symbols: ArrayLike<Symbol>, numbers: Map<Symbol, number>): Int32Array {
  const numbered = new Int32Array(symbols.length);
  for (let index = 0; index < symbols.length; index++) {
    const symbol = symbols[index] as Symbol;
    let number = numbers.get(symbol);
    if (number === undefined) numbers.set(symbol, (number = numbers.size));
    numbered[index] = number;
  }
  return numbered;
}
