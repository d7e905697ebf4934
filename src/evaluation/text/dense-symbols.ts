/** Numbers the symbols of two sequences from 0 in order of appearance, so that bit tables over them stay small. */
export function denseSymbols(
  left: readonly string[],
  right: readonly string[],
): { left: Int32Array; right: Int32Array; size: number } {
  const numbers = new Map<string, number>();
  const toNumbers = (symbols: readonly string[]) => {
    const dense = new Int32Array(symbols.length);
    for (let index = 0; index < symbols.length; index++) {
      const symbol = symbols[index] as string;
      let number = numbers.get(symbol);
      if (number === undefined) numbers.set(symbol, (number = numbers.size));
      dense[index] = number;
    }
    return dense;
  };
  const dense = { left: toNumbers(left), right: toNumbers(right) };
  return { ...dense, size: numbers.size };
}
