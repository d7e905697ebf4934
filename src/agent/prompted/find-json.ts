/** Where a part of a text begins and ends. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The first `{…}` or `[…]` at or after a place whose brackets balance, strings respected. Null when it never closes; whether
 * it is valid JSON is for the parser to say.
 */
export type FindValue = (from: number) => TextSpan | null;

/** Reads the text once, however often it is asked: a reply full of brackets that never close would take seconds otherwise. */
export function createValueFinder(text: string): FindValue {
  let known: { readonly starts: FindPlace; readonly ends: Int32Array } | null = null;
  return (from) => {
    known ??= { starts: placesOf(/[{[]/g, text), ends: enclosingEnds(text) };
    const start = known.starts(from);
    const close = known.ends[start + 1] ?? -1;
    return close < 0 ? null : { start, end: close + 1 };
  };
}

/**
 * For each place of a text outside a string, where the bracket closes that it stands in; -1: nowhere. Found from the end on, since what
 * follows a closed bracket or string is known by then.
 */
function enclosingEnds(text: string): Int32Array {
  const noEnds = () => new Int32Array(text.length + 2).fill(-1);
  const [outside, inString] = [noEnds(), noEnds()];
  const ending = (ends: Int32Array, at: number): number => ends[at] ?? -1;
  for (let at = text.length - 1; at >= 0; at--) {
    const sign = text[at];
    inString[at] = sign === '"' ? ending(outside, at + 1) : ending(inString, at + (sign === "\\" ? 2 : 1));
    if (sign === "}" || sign === "]") outside[at] = at;
    else if (sign === '"') outside[at] = ending(inString, at + 1);
    else {
      const next = ending(outside, at + 1);
      const isOpening = sign === "{" || sign === "[";
      outside[at] = isOpening && next >= 0 ? ending(outside, next + 1) : next;
    }
  }
  return outside;
}

/** The first place at or after another; the length of the text when there is none. */
export type FindPlace = (from: number) => number;

/** Where a pattern begins to match in a text. */
export function placesOf(pattern: RegExp, text: string): FindPlace {
  let places: readonly number[] | null = null;
  return (from) => {
    places ??= Array.from(text.matchAll(pattern), ({ index }) => index);
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return places[low] ?? text.length;
  };
}
