/** Called for the keys and values of a JSON text, in the order of the text. */
interface JsonVisitor {
  /** `start` is the opening quote, `end` the offset after the closing one; `jsonString` decodes the key. */
  readonly onKey?: (start: number, end: number) => void;
  /** `opened` is the bracket of an object or array, null for a scalar. */
  readonly onValue?: (offset: number, opened: "{" | "[" | null) => void;
  readonly onClose?: () => void;
}

/** The offset at which a text stops being JSON, and the character found there; null at the end of the text. */
interface JsonError {
  readonly offset: number;
  readonly found: string | null;
}

/**
 * Walks a text up to the first character that makes it invalid JSON; null when it is valid. `JSON.parse` often reports no position,
 * and quotes the text. Not recursive: a text may be nested deeper than the call stack.
 */
export function walkJson(text: string, visitor: JsonVisitor = {}): JsonError | null {
  try {
    walk(text, visitor);
    return null;
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    const found = text.codePointAt(error.offset);
    return { offset: error.offset, found: found === undefined ? null : String.fromCodePoint(found) };
  }
}

class Unexpected extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Compares character codes, which is faster: every request body passes here before it is parsed. */
function walk(text: string, { onKey, onValue, onClose }: JsonVisitor): void {
  /** The closing brackets of the open objects and arrays. */
  const open: number[] = [];
  let closing: number | undefined;
  let expected: "value" | "key" | "end" = "value";
  /** True right after an opening bracket, when it may close again. */
  let isEmpty = false;
  for (
    let at = skipSpace(text, 0);
    at < text.length || expected !== "end" || closing !== undefined;
    at = skipSpace(text, at)
  ) {
    const code = text.charCodeAt(at);
    if (code === closing && (isEmpty || expected === "end")) {
      open.pop();
      closing = open[open.length - 1];
      onClose?.();
      expected = "end";
      at += 1;
    } else if (expected === "end") {
      if (code !== comma || closing === undefined) throw new Unexpected(at);
      expected = closing === closeBrace ? "key" : "value";
      at += 1;
    } else if (expected === "key") {
      const end = endOfString(text, at);
      onKey?.(at, end);
      at = skipSpace(text, end);
      if (text.charCodeAt(at) !== colon) throw new Unexpected(at);
      expected = "value";
      at += 1;
    } else if (code === openBrace || code === openBracket) {
      onValue?.(at, code === openBrace ? "{" : "[");
      closing = code === openBrace ? closeBrace : closeBracket;
      open.push(closing);
      expected = code === openBrace ? "key" : "value";
      isEmpty = true;
      at += 1;
      continue;
    } else {
      onValue?.(at, null);
      at = code === quote ? endOfString(text, at) : endOfScalar(text, at);
      expected = "end";
    }
    isEmpty = false;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;)
    code = text.charCodeAt(++at);
  return at;
}

/** The longest prefix of a number. The number is complete when the match ends with a digit. */
const number = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y;

function endOfScalar(text: string, start: number): number {
  const sign = text[start];
  const word = sign === "t" ? "true" : sign === "f" ? "false" : sign === "n" ? "null" : null;
  if (word !== null) {
    const wrong = Array.from(word).findIndex((letter, index) => text[start + index] !== letter);
    if (wrong >= 0) throw new Unexpected(start + wrong);
    return start + word.length;
  }
  number.lastIndex = start;
  number.test(text);
  const end = number.lastIndex;
  if (end === start || !isDigit(text.charCodeAt(end - 1))) throw new Unexpected(end);
  return end;
}

function endOfString(text: string, start: number): number {
  if (text.charCodeAt(start) !== quote) throw new Unexpected(start);
  for (let at = start + 1; ; at += 1) {
    let code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    // NaN at the end of the text fails this comparison too.
    if (!(code >= 0x20)) throw new Unexpected(at);
    if (code !== backslash) continue;
    code = text.charCodeAt(++at);
    if (code === 0x75) {
      for (let digits = 0; digits < 4; digits += 1) if (!isHexDigit(text.charCodeAt(++at))) throw new Unexpected(at);
    } else if (!isEscape(code)) throw new Unexpected(at);
  }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const isHexDigit = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

/** One of `"\\/bfnrt`. */
const isEscape = (code: number): boolean =>
  code === quote ||
  code === backslash ||
  code === 0x2f ||
  code === 0x62 ||
  code === 0x66 ||
  code === 0x6e ||
  code === 0x72 ||
  code === 0x74;

/** Decodes the string literal between two offsets, quotes included. */
export function jsonString(text: string, start: number, end: number): string {
  const quoted = text.slice(start, end);
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** Returns the line of an offset. Offsets must be passed in ascending order. */
export function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  let counted = 0;
  return (offset) => {
    line += text.slice(counted, offset).split("\n").length - 1;
    counted = offset;
    return line;
  };
}

/** Line and column of an offset, both counted from 1. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * Replaces NaN and Infinity, which Python and others write into JSON. Matches single quotes instead of whole strings: a pattern for
 * a string would backtrack at every quote of a text whose last string never ends.
 */
export function replaceNonFiniteNumbers(text: string, replacement: (word: string) => string): string {
  let inString = false;
  return text.replace(/\\.|"|-?\b(?:NaN|Infinity)\b/gs, (token) => {
    if (token === '"') inString = !inString;
    return inString || token === '"' || token.startsWith("\\") ? token : replacement(token);
  });
}

/** Counts the open brackets of a JSON text that arrives in pieces, reading each character once. */
export class BracketDepth {
  /** True once the first bracket is closed; the rest of the text is ignored. */
  isClosed = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** Reads the next piece. False as soon as the text is nested deeper than `deepest`. */
  add(piece: string, deepest = Infinity): boolean {
    for (let index = 0; index < piece.length && !this.isClosed; index += 1) {
      const code = piece.charCodeAt(index);
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === 92) this.#isEscaped = true;
        else if (code === 34) this.#inString = false;
      } else if (code === 34) this.#inString = true;
      else if (code === 91 || code === 123) {
        this.#depth += 1;
        if (this.#depth > deepest) return false;
      } else if (code === 93 || code === 125) {
        this.#depth -= 1;
        this.isClosed = this.#depth <= 0;
      }
    }
    return true;
  }
}

/** A part of a text, without the character at `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The first `{…}` or `[…]` at or after an offset, with balanced brackets outside strings. Null when it never closes. May be invalid JSON. */
export type FindValue = (from: number) => TextSpan | null;

/** Finds JSON in prose. Reads the text once for all calls: a text full of brackets that never close would take seconds otherwise. */
export function createValueFinder(text: string): FindValue {
  let index: { readonly starts: FindOffset; readonly ends: Int32Array } | null = null;
  return (from) => {
    index ??= { starts: createOffsetFinder(/[{[]/g, text), ends: enclosingEnds(text) };
    const start = index.starts(from);
    const close = index.ends[start + 1] ?? -1;
    return close < 0 ? null : { start, end: close + 1 };
  };
}

/**
 * For each offset outside a string, the offset at which the enclosing bracket closes, or -1. Computed from the end, where the
 * results for the text after a closed bracket or string are known.
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

/** The first match at or after an offset; the length of the text when there is none. */
export type FindOffset = (from: number) => number;

/** Finds matches of a pattern by binary search. Reads the text once, on the first call. */
export function createOffsetFinder(pattern: RegExp, text: string): FindOffset {
  let offsets: readonly number[] | null = null;
  return (from) => {
    offsets ??= Array.from(text.matchAll(pattern), ({ index }) => index);
    let [low, high] = [0, offsets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((offsets[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return offsets[low] ?? text.length;
  };
}
