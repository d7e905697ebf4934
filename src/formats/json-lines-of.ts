import { jsonStringEnd } from "./json-string-end.ts";
import { pointerTo } from "./records.ts";

/** What the scanner needs of JSON that is known to be valid: brackets, commas, scalars, and where strings begin. */
const token = /([{}[\],:])|"|[^\s{}[\],:"]+|\s+/y;

interface Level {
  readonly pointer: string;
  readonly list: boolean;
  /** The index of a list, the key of an object. */
  step: string | number;
}

/** The line on which each of the wanted places of a valid JSON text begins, in one pass. */
export function jsonLinesOf(text: string, wanted: ReadonlySet<string>): Map<string, number> {
  const lines = new Map<string, number>();
  const levels: Level[] = [];
  let line = 1;
  let atKey = false;
  token.lastIndex = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [, mark] = match;
    if (match[0] === '"') token.lastIndex = jsonStringEnd(text, match.index);
    const part = text.slice(match.index, token.lastIndex);
    const level = levels.at(-1);
    if (mark === undefined && part.trim() === "") line += part.split("\n").length - 1;
    else if (mark === "}" || mark === "]") {
      levels.pop();
      // An empty object had no key.
      atKey = false;
    } else if (mark === ",") {
      if (level?.list) level.step = Number(level.step) + 1;
      else atKey = true;
    } else if (mark === ":") atKey = false;
    else if (atKey && level && mark === undefined) level.step = JSON.parse(part) as string;
    else {
      const pointer = level ? pointerTo(level.pointer, level.step) : "";
      if (wanted.has(pointer)) lines.set(pointer, line);
      if (mark === "{" || mark === "[") levels.push({ pointer, list: mark === "[", step: 0 });
      atKey = mark === "{";
    }
  }
  return lines;
}
