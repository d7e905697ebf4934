import type { SymbolPair } from "./symbol-pair.ts";

/**
 * How many n-grams two sequences share, each as often as the side that has it less often: for the orders 1 to `orders`.
 * A gram is a number made of the number of the gram one shorter and of the symbol that follows, so no text is cut up.
 */
export function countSharedGrams({ left, right, size }: SymbolPair, orders: number): number[] {
  let leftGrams = left;
  let rightGrams = right;
  let distinct = size;
  const shared: number[] = [];
  for (let order = 1; order <= orders; order++) {
    if (order > 1) {
      const numbers = new Map<number, number>();
      leftGrams = extend(leftGrams, { symbols: left, order, size, numbers });
      rightGrams = extend(rightGrams, { symbols: right, order, size, numbers });
      distinct = numbers.size;
    }
    shared.push(countShared(leftGrams, rightGrams, distinct));
  }
  return shared;
}

interface Extension {
  readonly symbols: Int32Array;
  readonly order: number;
  readonly size: number;
  /** Numbers given to the longer grams so far, by the shorter gram and its next symbol. */
  readonly numbers: Map<number, number>;
}

function extend(grams: Int32Array, { symbols, order, size, numbers }: Extension): Int32Array {
  const longer = new Int32Array(symbols.length - order + 1);
  for (let start = 0; start < longer.length; start++) {
    const key = (grams[start] as number) * size + (symbols[start + order - 1] as number);
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = numbers.size));
    longer[start] = number;
  }
  return longer;
}

function countShared(left: Int32Array, right: Int32Array, distinct: number): number {
  const available = new Int32Array(distinct);
  for (let index = 0; index < right.length; index++) {
    const gram = right[index] as number;
    available[gram] = (available[gram] as number) + 1;
  }
  let shared = 0;
  for (let index = 0; index < left.length; index++) {
    const gram = left[index] as number;
    const rest = available[gram] as number;
    if (rest === 0) continue;
    available[gram] = rest - 1;
    shared++;
  }
  return shared;
}
