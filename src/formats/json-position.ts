/** With the words of Python for numbers that JSON does not have: they are read. */
const token =
  /\s*(?:([{}[\],:])|("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity))/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or end";

/** Offset of the first character at which the text stops being JSON. Engines word their own messages too differently to rely on. */
export function jsonErrorOffset(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let offset = 0;
  for (;;) {
    token.lastIndex = offset;
    const match = token.exec(text);
    const start = offset + (/^\s*/.exec(text.slice(offset, offset + 10_000))?.[0].length ?? 0);
    if (!match) return start;
    const next = step(expected, match[1] ?? (match[2] === undefined ? "scalar" : "string"), open);
    if (!next) return start;
    expected = next;
    offset = token.lastIndex;
    if (open.length === 0 && expected === "comma or end") {
      const rest = text.slice(offset).search(/\S/);
      return rest < 0 ? text.length : offset + rest;
    }
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
