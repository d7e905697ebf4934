import type { ReadDocument } from "./read-document.ts";
import type { Note } from "./scenario-file.ts";

/** Notes with the line of the file they are about. A place that is not in the text has the line of the nearest one around it. */
export function withLines(notes: readonly Note[], { linesOf }: Pick<ReadDocument, "linesOf">): Note[] {
  const without = notes.filter(({ line, pointer }) => line === undefined && pointer !== undefined);
  if (without.length === 0) return [...notes];
  const wanted = new Set(without.flatMap(({ pointer = "" }) => enclosing(pointer)));
  const lines = linesOf(wanted);
  return notes.map((note) => {
    if (note.line !== undefined || note.pointer === undefined) return note;
    const known = enclosing(note.pointer).find((pointer) => lines.has(pointer));
    const line = known === undefined ? undefined : lines.get(known);
    return line === undefined ? note : { ...note, line };
  });
}

/** The pointer and all that lead to it, the deepest first. */
function enclosing(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return Array.from({ length: steps.length + 1 }, (_, index) => {
    const kept = steps.slice(0, steps.length - index);
    return kept.length === 0 ? "" : `/${kept.join("/")}`;
  });
}
