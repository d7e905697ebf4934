import type { PreparedText } from "./prepare-text.ts";

/** Two sequences as numbers below `size`: equal numbers are equal symbols, on either side. */
export interface SymbolPair {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly size: number;
}

/** Code points below this are used as they are: a table over all of them is small. */
const smallAlphabet = 256;

/** Numbers words in order of appearance, which keeps tables over them small. */
export function toWordPair(left: readonly string[], right: readonly string[]): SymbolPair {
  const numbers = new Map<string, number>();
  return { left: numberAll(left, numbers), right: numberAll(right, numbers), size: numbers.size };
}

/** Numbers code points; those of most western texts are used unchanged. */
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

/** Numbers words once for texts that many others are compared with. */
interface Vocabulary {
  /** A text paired with a known one. Words that occur in no known text are 0. */
  pair(text: PreparedText, known: PreparedText): SymbolPair;
}

export function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>();
  const knownTexts = new WeakMap<PreparedText, Int32Array>();
  let last: { text: PreparedText; size: number; symbols: Int32Array } | undefined;

  function numberOf(word: string): number {
    let number = numbers.get(word);
    if (number === undefined) numbers.set(word, (number = numbers.size + 1));
    return number;
  }

  function symbolsOf(known: PreparedText): Int32Array {
    let symbols = knownTexts.get(known);
    if (!symbols) knownTexts.set(known, (symbols = Int32Array.from(known.tokens, numberOf)));
    return symbols;
  }

  /** The cached symbols expire when the vocabulary has grown. */
  function lookUp(text: PreparedText): Int32Array {
    if (last?.text === text && last.size === numbers.size) return last.symbols;
    const symbols = Int32Array.from(text.tokens, (word) => numbers.get(word) ?? 0);
    last = { text, size: numbers.size, symbols };
    return symbols;
  }

  return {
    pair(text, known) {
      const right = symbolsOf(known);
      return { left: lookUp(text), right, size: numbers.size + 1 };
    },
  };
}
