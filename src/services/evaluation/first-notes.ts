import type { Note } from "../../formats/scenario-file.ts";
import type { UnusableNote } from "./unusable-notes.ts";

/** Nobody reads more, and a file of three megabytes may give rise to a hundred megabytes of them. */
const mostNotes = 1_000;

/** The first notes on a file, and a last one that tells how many are missing. */
export function firstNotes<Listed extends Note | UnusableNote>(notes: readonly Listed[]): (Listed | Note)[] {
  if (notes.length <= mostNotes) return [...notes];
  const rest: Note = { kind: "changed", message: `and ${notes.length - mostNotes} more notes that are not listed` };
  return [...notes.slice(0, mostNotes), rest];
}
