import { lineEnds } from "../line-ends.ts";

/** The parts of a pattern that RE2 and JavaScript may read differently, and single characters. */
const parts =
  /\\Q[^]*?(?:\\E|$)|\\x\{[\da-fA-F]+\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\(\?m:[$^]\)|\(\?(?:P?<|:)|\(\?|[^]/gu;

/**
 * A pattern of RE2, whose `^` and `$` match at lines unless it begins with `(?-m)`, as JavaScript reads it without any flag. Undefined
 * where it has no such form.
 */
export function toScriptPattern(pattern: string): string | undefined {
  const ofText = pattern.startsWith("(?-m)");
  const found = (ofText ? pattern.slice("(?-m)".length) : pattern).match(parts) ?? [];
  const script = found.map((part) => toScript(part, ofText));
  if (script.includes(undefined)) return undefined;
  const joined = script.join("");
  return isPattern(joined) ? joined : undefined;
}

function toScript(part: string, ofText: boolean): string | undefined {
  switch (part) {
    case "^":
      return ofText ? "^" : lineEnds.script.start;
    case "$":
      return ofText ? "$" : lineEnds.script.end;
    case lineEnds.linear.start:
      return lineEnds.script.start;
    case lineEnds.linear.end:
      return lineEnds.script.end;
    case String.raw`\A`:
      return "^";
    case String.raw`\z`:
      return "$";
    case "(?P<":
      return "(?<";
  }
  if (part.startsWith(String.raw`\Q`)) {
    return part
      .slice(2)
      .replace(/\\E$/, "")
      .replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  }
  return isOtherwise.test(part) ? undefined : part;
}

/** What is something else in JavaScript: flags, properties of characters and their names, characters by number, `]` as the first of a set. */
const isOtherwise = /^\(\?$|^\[\^?\]|\[:|\\[pPCa\d]|\\x\{|\\Q/;

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
