import { normalize } from "./normalize.ts";
import { tokenizeNormalized } from "./tokenize.ts";

/** A text in the forms scorers need, each made once and only when asked for. */
export interface PreparedText {
  readonly raw: string;
  readonly normalized: string;
  readonly tokens: readonly string[];
  /** Code points of the normalized text. */
  readonly characters: readonly string[];
}

export function prepareText(raw: string): PreparedText {
  let normalized: string | undefined;
  let tokens: readonly string[] | undefined;
  let characters: readonly string[] | undefined;

  return {
    raw,
    get normalized() {
      return (normalized ??= normalize(raw));
    },
    get tokens() {
      return (tokens ??= tokenizeNormalized(this.normalized));
    },
    get characters() {
      return (characters ??= Array.from(this.normalized));
    },
  };
}
