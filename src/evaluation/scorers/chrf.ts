import { formatFigure } from "../../base/numbers.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import { toCharacterPair, type SymbolPair } from "../text/symbols.ts";
import { bestReference, type Scorer, type ScorerResult } from "./scorer.ts";

const maximumOrder = 6;
const beta = 2;
const maximumCharacters = 200_000;
/** In all comparisons of one reply. */
const maximumTotal = 100 * maximumCharacters;

/**
 * chrF2 (Popović 2015) in 0..1: F2 of character n-grams up to six, without white space. The same as sacreBLEU's chrF (character
 * order 6, word order 0, no eps smoothing) on normalized text.
 */
export function chrf(): Scorer {
  return bestReference("chrf", ({ reply, reference, references }) => {
    const characters = reply.codePoints.length;
    if ((characters + reference.codePoints.length) * references > maximumTotal) {
      return {
        value: null,
        reason: `too long to compare: ${characters} characters, ${references} references`,
        failed: true,
      };
    }
    const generated = withoutSpaces(reply);
    const expected = withoutSpaces(reference);
    if (Math.max(generated.length, expected.length) > maximumCharacters) {
      return { value: null, reason: `too long to compare: over ${maximumCharacters} characters`, failed: true };
    }
    if (generated.length === 0 && expected.length === 0) return { value: 1, reason: "both are empty" };
    return scoreCharacters(generated, expected);
  });
}

function withoutSpaces({ codePoints }: PreparedText): Int32Array {
  return codePoints.filter((codePoint) => !isSpace(codePoint));
}

function isSpace(codePoint: number): boolean {
  return codePoint === 32 || (codePoint > 127 && /\s/u.test(String.fromCodePoint(codePoint)));
}

function scoreCharacters(generated: Int32Array, expected: Int32Array): ScorerResult {
  // An order counts only if both sides have n-grams of it.
  const orders = Math.min(maximumOrder, generated.length, expected.length);
  const shared = countSharedGrams(toCharacterPair(generated, expected), orders);
  let precision = 0;
  let recall = 0;
  for (let order = 1; order <= orders; order++) {
    const generatedCount = generated.length - order + 1;
    const expectedCount = expected.length - order + 1;
    const common = shared[order - 1] as number;
    precision += common / generatedCount;
    recall += common / expectedCount;
  }
  precision /= Math.max(1, orders);
  recall /= Math.max(1, orders);
  const value =
    precision + recall === 0 ? 0 : ((1 + beta ** 2) * precision * recall) / (beta ** 2 * precision + recall);
  return {
    value: Math.min(1, value),
    reason: `n-gram precision ${formatFigure(precision)}, recall ${formatFigure(recall)}`,
  };
}

/**
 * Sizes of the multiset intersections of n-grams, for the orders 1 to `orders`. An n-gram is numbered by its (n-1)-gram and the
 * symbol that follows, so no substrings are created.
 */
function countSharedGrams({ left, right, size }: SymbolPair, orders: number): number[] {
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
  /** Numbers of the longer grams so far, by shorter gram and next symbol. */
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
