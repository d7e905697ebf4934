import { createLineCounter, jsonString, walkJson } from "../base/json-text.ts";
import { pointerTo } from "./records.ts";

/** The line on which each of the wanted places of a JSON text begins. */
export function jsonLinesOf(text: string, wanted: ReadonlySet<string>): Map<string, number> {
  const lines = new Map<string, number>();
  const lineAt = createLineCounter(text);
  /** The objects and lists that are open; `step` is the key or the index of the member that is read. */
  const levels: { readonly pointer: string; readonly isList: boolean; step: string | number }[] = [];
  walkJson(text, {
    onKey: (start, end) => {
      const level = levels.at(-1);
      if (level) level.step = jsonString(text, start, end);
    },
    onValue: (offset, opened) => {
      const level = levels.at(-1);
      if (level?.isList) level.step = Number(level.step) + 1;
      const pointer = level ? pointerTo(level.pointer, level.step) : "";
      if (wanted.has(pointer)) lines.set(pointer, lineAt(offset));
      if (opened) levels.push({ pointer, isList: opened === "[", step: -1 });
    },
    onClose: () => levels.pop(),
  });
  return lines;
}

interface RepeatedKey {
  readonly key: string;
  /** Where it stands again. */
  readonly line: number;
}

/** Keys that stand more than once in one object of a JSON text. The parser takes the last and says nothing. */
export function repeatedKeys(text: string): RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  const lineAt = createLineCounter(text);
  const open: Set<string>[] = [];
  walkJson(text, {
    onKey: (start, end) => {
      const key = jsonString(text, start, end);
      if (open.at(-1)?.has(key)) repeated.push({ key, line: lineAt(start) });
      open.at(-1)?.add(key);
    },
    onValue: (_offset, opened) => opened && open.push(new Set()),
    onClose: () => open.pop(),
  });
  return repeated;
}
