import type { PreparedText } from "./prepare-text.ts";
import type { SymbolPair } from "./symbol-pair.ts";

/** Words as numbers, given once to each text that others are compared with again and again. */
interface Vocabulary {
  /** A text beside a known one. Words of the text that no known text has are all 0, which is no known word. */
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

  /** Looked up again when a word that was unknown may be known by now. */
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
