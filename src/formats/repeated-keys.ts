import { jsonStringEnd } from "./json-string-end.ts";

/** The beginnings of strings, and the marks of JSON that is known to be valid; numbers and white space are passed over. */
const token = /["{}[\],:]/g;

interface RepeatedKey {
  readonly key: string;
  /** Where it stands again. */
  readonly line: number;
}

/**
 * Keys that stand more than once in one object of a valid JSON text. Its parser takes the last and says nothing, so that `value`, which
 * it made of the text, has fewer keys than were written.
 */
export function repeatedKeys(text: string, value: unknown): RepeatedKey[] {
  // What looks like a key within a string is counted too, so that few files are looked at closely, and none too few.
  return (text.match(/"\s*:/g)?.length ?? 0) === countKeys(value) ? [] : findRepeated(text);
}

/** Goes from level to level: a file may nest its values deeper than a function can call itself. */
function countKeys(value: unknown): number {
  let count = 0;
  for (let layer = [value]; layer.length > 0;) {
    const next: unknown[] = [];
    for (const entry of layer) {
      if (typeof entry !== "object" || entry === null) continue;
      const inner = Object.values(entry);
      if (!Array.isArray(entry)) count += inner.length;
      for (const part of inner) next.push(part);
    }
    layer = next;
  }
  return count;
}

function findRepeated(text: string): RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  /** The keys of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let atKey = false;
  let line = 1;
  let counted = 0;
  token.lastIndex = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const { index } = match;
    if (match[0] === '"') token.lastIndex = jsonStringEnd(text, index);
    const part = text.slice(index, token.lastIndex);
    const keys = open.at(-1);
    if (part === "{" || part === "[") open.push(part === "{" ? new Set() : null);
    else if (part === "}" || part === "]") open.pop();
    else if (atKey && keys && part !== ",") {
      const key = part.includes("\\") ? (JSON.parse(part) as string) : part.slice(1, -1);
      if (keys.has(key)) {
        line += text.slice(counted, index).split("\n").length - 1;
        counted = index;
        repeated.push({ key, line });
      }
      keys.add(key);
    }
    atKey = part === "{" || part === ",";
  }
  return repeated;
}
