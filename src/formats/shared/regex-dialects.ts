/** Line anchors in a JavaScript pattern without flags, and anywhere in an RE2 pattern. */
const lineEnds = {
  script: { start: String.raw`(?<![^\n])`, end: String.raw`(?![^\n])` },
  linear: { start: "(?m:^)", end: "(?m:$)" },
} as const;

/** Tokens that RE2 and JavaScript may read differently, and single characters. */
const parts =
  /\\Q[^]*?(?:\\E|$)|\\x\{[\da-fA-F]+\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?|\(\?m:[$^]\)|\(\?(?:P?<|:)|\(\?|[^]/gu;

/**
 * Converts an RE2 pattern (`^` and `$` match at lines unless it starts with `(?-m)`) to a JavaScript pattern without flags. Undefined
 * if there is no equivalent.
 */
export function toScriptPattern(pattern: string): string | undefined {
  const ofText = pattern.startsWith("(?-m)");
  const found = (ofText ? pattern.slice("(?-m)".length) : pattern).match(parts) ?? [];
  const script = found.map((part) => toScript(part, ofText));
  if (script.includes(undefined)) return undefined;
  const joined = script.join("");
  return isScriptPattern(joined) ? joined : undefined;
}

/**
 * Converts a JavaScript pattern, whose `^` and `$` match only at the ends of the text, to RE2 as our checks run it. Line anchors
 * written by our export are recognised.
 */
export function fromScriptPattern(pattern: string): string {
  if (!/[$^]/.test(pattern)) return pattern;
  const { script, linear } = lineEnds;
  return `(?-m)${pattern.replaceAll(script.start, linear.start).replaceAll(script.end, linear.end)}`;
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
  return differsInScript.test(part) ? undefined : part;
}

/** Tokens with another meaning in JavaScript: flags, character properties and classes, numeric escapes, `]` first in a set. */
const differsInScript = /^\(\?$|^\[\^?\]|\[:|\\[pPCa\d]|\\x\{|\\Q/;

function isScriptPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
