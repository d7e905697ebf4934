/** What stands in a JSON text, in the order in which it is written. */
interface JsonVisitor {
  /** From its opening quote to behind its closing one; `jsonString` has what it says. */
  readonly onKey?: (start: number, end: number) => void;
  /** A value begins: one that is opened, or a scalar. */
  readonly onValue?: (offset: number, opened: "{" | "[" | null) => void;
  readonly onClose?: () => void;
}

/** Where a text stops being JSON, and what stands there; null for the end of the text. */
interface JsonError {
  readonly offset: number;
  readonly found: string | null;
}

/**
 * Goes through a text to the first character that makes it invalid JSON; null when it is valid. The parser's own message often
 * has no position, and quotes the text. A text may be nested deeper than a function can call itself.
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

/** Compares codes, not characters: it looks at every body before that is parsed. */
function walk(text: string, { onKey, onValue, onClose }: JsonVisitor): void {
  /** What closes the objects and lists that are open. */
  const open: number[] = [];
  let closing: number | undefined;
  let expected: "value" | "key" | "end" = "value";
  /** Nothing stands yet in what was opened last, so it may close at once. */
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

/** A number as far as it goes: it is whole when a digit ends it. */
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
    // The end of the text has no code at all.
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

/** What a string says that was found in a text, quotes and all. */
export function jsonString(text: string, start: number, end: number): string {
  const quoted = text.slice(start, end);
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** The lines of offsets, each asked for after those before it. */
export function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  let counted = 0;
  return (offset) => {
    line += text.slice(counted, offset).split("\n").length - 1;
    counted = offset;
    return line;
  };
}

/** Line and column, both from 1, of an offset. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * The text with something else for the numbers that JSON does not know, and that Python and others write: NaN and Infinity. Goes
 * from quote to quote: a pattern for a whole string would be tried at every quote of a text whose last string never ends.
 */
export function replaceBareNumbers(text: string, replacement: (word: string) => string): string {
  let inString = false;
  return text.replace(/\\.|"|-?\b(?:NaN|Infinity)\b/gs, (token) => {
    if (token === '"') inString = !inString;
    return inString || token === '"' || token.startsWith("\\") ? token : replacement(token);
  });
}

/** Counts the open brackets of a JSON text that may arrive in pieces. Each character is looked at once. */
export class BracketDepth {
  /** The first bracket is closed; what follows is not looked at. */
  isClosed = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** Looks at the next piece. False as soon as it is nested deeper than `deepest`. */
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

/** Finds JSON in prose. Reads the text once, however often it is asked: one full of brackets that never close would take seconds otherwise. */
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

/** Where a pattern begins to match in a text. The text is read once, when first asked. */
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
