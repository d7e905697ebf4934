import { countSharedGrams } from "../text/count-shared-grams.ts";
import type { PreparedText } from "../text/prepare-text.ts";
import { toCharacterPair } from "../text/symbol-pair.ts";
import { bestReference } from "./best-reference.ts";
import type { Judgement, Scorer } from "./scorer.ts";

const maximumOrder = 6;
const beta = 2;
const maximumCharacters = 200_000;
/** With all references of a reply together. */
const mostCharacters = 100 * maximumCharacters;

/**
 * chrF2 (Popović 2015) in 0..1: F of character n-grams up to six, recall counting double, white space left out.
 * The figures of sacreBLEU's chrF (character order 6, word order 0, no eps smoothing), taken on normalized text.
 */
export function chrf(): Scorer {
  return bestReference("chrf", ({ reply, reference, references }) => {
    const characters = reply.codePoints.length;
    if ((characters + reference.codePoints.length) * references > mostCharacters) {
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

function scoreCharacters(generated: Int32Array, expected: Int32Array): Judgement {
  // An order counts only when both sides are long enough to have n-grams of it.
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
  return { value: Math.min(1, value), reason: `n-gram precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}` };
}
