import { jsonStringEnd } from "./json-string-end.ts";

/** A mark, the beginning of a string, or a scalar, with the words of Python for numbers that JSON does not have: they are read. */
const token = /([{}[\],:])|(")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity/y;
const blank = /\s*/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or end";

/** Offset of the first character at which the text stops being JSON. Engines word their own messages too differently to rely on. */
export function jsonErrorOffset(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let offset = 0;
  for (;;) {
    blank.lastIndex = offset;
    blank.exec(text);
    const start = (token.lastIndex = blank.lastIndex);
    const match = token.exec(text);
    const isString = match?.[2] !== undefined;
    const end = isString ? endOfString(text, start) : token.lastIndex;
    if (!match || end === null) return start;
    const next = step(expected, match[1] ?? (isString ? "string" : "scalar"), open);
    if (!next) return start;
    expected = next;
    offset = end;
    if (open.length === 0 && expected === "comma or end") {
      const rest = text.slice(offset).search(/\S/);
      return rest < 0 ? text.length : offset + rest;
    }
  }
}

/** Null where it has no end, or holds what no string may hold. */
function endOfString(text: string, start: number): number | null {
  const end = jsonStringEnd(text, start);
  try {
    JSON.parse(text.slice(start, end));
    return end;
  } catch {
    return null;
  }
}

/** What may follow one token, or undefined when the token may not stand here. */
function step(expected: Expected, found: string, open: string[]): Expected | undefined {
  if (expected === "colon") return found === ":" ? "value" : undefined;
  if (expected === "key" || expected === "key or }") {
    if (found === "string") return "colon";
    return found === "}" && expected === "key or }" ? close("{", open) : undefined;
  }
  if (expected === "comma or end") {
    if (found === ",") return open.at(-1) === "{" ? "key" : "value";
    return found === "}" ? close("{", open) : found === "]" ? close("[", open) : undefined;
  }
  if (found === "]" && expected === "value or ]") return close("[", open);
  if (found === "string" || found === "scalar") return "comma or end";
  if (found !== "{" && found !== "[") return undefined;
  open.push(found);
  return found === "{" ? "key or }" : "value or ]";
}

function close(kind: string, open: string[]): Expected | undefined {
  return open.pop() === kind ? "comma or end" : undefined;
}

/** Line and column, both from 1, of an offset. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
