import { countWords, type WordCounts } from "./count-words.ts";
import { normalize } from "./normalize.ts";
import { tokenizeNormalized } from "./tokenize.ts";

/** A text in the forms scorers need, each made once and only when asked for. */
export interface PreparedText {
  readonly raw: string;
  readonly normalized: string;
  readonly tokens: readonly string[];
  /** The tokens with a space between: equal for the same tokens in the same order. */
  readonly words: string;
  /** How often each token is there. */
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
