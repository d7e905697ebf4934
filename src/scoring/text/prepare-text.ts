import { normalize, tokenizeNormalized } from "./tokenize.ts";

/** A text in the forms scorers need, each computed once, on first use. */
export interface PreparedText {
  readonly raw: string;
  readonly normalized: string;
  readonly tokens: readonly string[];
  /** The tokens joined by spaces. */
  readonly words: string;
  readonly counts: WordCounts;
  /** Code points of the normalized text. */
  readonly codePoints: Int32Array;
}

export function prepareText(raw: string): PreparedText {
  return new LazyText(raw);
}

class LazyText implements PreparedText {
  readonly raw: string;
  #normalized: string | undefined;
  #tokens: readonly string[] | undefined;
  #words: string | undefined;
  #counts: WordCounts | undefined;
  #codePoints: Int32Array | undefined;

  constructor(raw: string) {
    this.raw = raw;
  }

  get normalized(): string {
    return (this.#normalized ??= normalize(this.raw));
  }

  get tokens(): readonly string[] {
    return (this.#tokens ??= tokenizeNormalized(this.normalized));
  }

  get words(): string {
    return (this.#words ??= this.tokens.join(" "));
  }

  get counts(): WordCounts {
    return (this.#counts ??= countWords(this.tokens));
  }

  get codePoints(): Int32Array {
    return (this.#codePoints ??= toCodePoints(this.normalized));
  }
}

/** The code points of a text; a lone surrogate counts as one. */
export function toCodePoints(text: string): Int32Array {
  const codePoints = new Int32Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const codePoint = text.codePointAt(index) as number;
    codePoints[length++] = codePoint;
    if (codePoint > 0xffff) index++;
  }
  return codePoints.subarray(0, length);
}

/** Word → occurrences, in order of first appearance. */
export type WordCounts = ReadonlyMap<string, number>;

export function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Size of the multiset intersection of two texts' words. */
export function sharedWords(left: WordCounts, right: WordCounts): number {
  let shared = 0;
  for (const [word, count] of left) {
    const other = right.get(word);
    if (other !== undefined) shared += Math.min(count, other);
  }
  return shared;
}

/** F1 from `matches` and both token counts; 1 if both are empty. */
export function overlapF1(matches: number, generated: number, expected: number): number {
  if (generated === 0 && expected === 0) return 1;
  return (2 * matches) / (generated + expected);
}
