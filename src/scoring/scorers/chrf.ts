import { formatFigure } from "../../base/numbers.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import { toCharacterPair, type SymbolPair } from "../text/symbols.ts";
import { defineScorer } from "./define-scorer.ts";
import type { ScorerResult } from "./scorer.ts";

const maximumOrder = 6;
const beta = 2;
const maximumCharacters = 200_000;
/** In all comparisons of one reply. */
const maximumTotal = 100 * maximumCharacters;

/**
 * chrF2 (Popović 2015) in 0..1: F2 of character n-grams up to six, without white space. The same as sacreBLEU's chrF (character
 * order 6, word order 0, no eps smoothing) on normalized text.
 */
export const chrf = defineScorer({
  name: "chrf",
  label: "chrF",
  help: "shared letter sequences",
  byDefault: true,
  needs: ["reference"],
  similarity: true,
  metric: true,
  replyRank: 5,
  // chrF counts punctuation, but the same words are a perfect reply.
  yieldsTo: "exact_match",
  compare: ({ reply, reference, references }) => {
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
  },
});

function withoutSpaces({ codePoints }: PreparedText): Int32Array {
  const kept = new Int32Array(codePoints.length);
  let length = 0;
  for (let index = 0; index < codePoints.length; index++) {
    const codePoint = codePoints[index] as number;
    if (!isSpace(codePoint)) kept[length++] = codePoint;
  }
  return kept.subarray(0, length);
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
 * symbol that follows, so no substrings are created. An n-gram can be shared only if its (n-1)-gram is, so the others are left out.
 */
function countSharedGrams({ left, right, size }: SymbolPair, orders: number): number[] {
  const leftGrams = left.slice();
  const rightGrams = right.slice();
  const numbers = new PairNumbers(left.length + right.length);
  const mostDistinct = Math.max(size, left.length + right.length);
  const inLeft = new Int32Array(mostDistinct);
  const inRight = new Int32Array(mostDistinct);
  let distinct = size;
  const shared: number[] = [];
  for (let order = 1; order <= orders; order++) {
    const leftCount = left.length - order + 1;
    const rightCount = right.length - order + 1;
    if (order > 1) {
      numbers.clear();
      extend(leftGrams, { symbols: left, order, numbers });
      extend(rightGrams, { symbols: right, order, numbers });
      distinct = numbers.size;
    }
    count(leftGrams.subarray(0, leftCount), inLeft, distinct);
    count(rightGrams.subarray(0, rightCount), inRight, distinct);
    let common = 0;
    for (let gram = 0; gram < distinct; gram++) common += Math.min(inLeft[gram] as number, inRight[gram] as number);
    shared.push(common);
    leaveOut(leftGrams, inRight);
    leaveOut(rightGrams, inLeft);
  }
  return shared;
}

/** In place of a gram that the other side does not have. */
const notShared = -1;

interface Extension {
  readonly symbols: Int32Array;
  readonly order: number;
  /** Numbers of the longer grams so far, by shorter gram and next symbol. */
  readonly numbers: PairNumbers;
}

/** Replaces each gram by the one that is a symbol longer. */
function extend(grams: Int32Array, { symbols, order, numbers }: Extension): void {
  for (let next = order - 1; next < symbols.length; next++) {
    const start = next - order + 1;
    const gram = grams[start] as number;
    if (gram !== notShared) grams[start] = numbers.of(gram, symbols[next] as number);
  }
}

function count(grams: Int32Array, counts: Int32Array, distinct: number): void {
  counts.fill(0, 0, distinct);
  for (let index = 0; index < grams.length; index++) {
    const gram = grams[index] as number;
    if (gram !== notShared) counts[gram] = (counts[gram] as number) + 1;
  }
}

function leaveOut(grams: Int32Array, countsOfOthers: Int32Array): void {
  for (let index = 0; index < grams.length; index++) {
    const gram = grams[index] as number;
    if (gram !== notShared && countsOfOthers[gram] === 0) grams[index] = notShared;
  }
}

/** Numbers pairs of numbers in order of appearance. A hash table in flat memory: a `Map` would take most of the time of a comparison. */
class PairNumbers {
  readonly #mask: number;
  readonly #pairs: Int32Array;
  /** One more than the number of the pair in this slot; 0 where the slot is empty. */
  readonly #numbers: Int32Array;
  #size = 0;

  constructor(mostPairs: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * mostPairs + 1));
    this.#mask = slots - 1;
    this.#pairs = new Int32Array(2 * slots);
    this.#numbers = new Int32Array(slots);
  }

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#numbers.fill(0);
    this.#size = 0;
  }

  of(first: number, second: number): number {
    const hash = Math.imul(Math.imul(first, 0x9e3779b1) + second, 0x85ebca6b);
    for (let slot = (hash ^ (hash >>> 15)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const number = this.#numbers[slot] as number;
      if (number === 0) {
        this.#pairs[2 * slot] = first;
        this.#pairs[2 * slot + 1] = second;
        this.#numbers[slot] = ++this.#size;
        return this.#size - 1;
      }
      if (this.#pairs[2 * slot] === first && this.#pairs[2 * slot + 1] === second) return number - 1;
    }
  }
}
