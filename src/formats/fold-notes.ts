import type { Note } from "./scenario-file.ts";

/** Notes of one kind about one subject: the first of them, and how many there are. */
interface FoldedNote {
  readonly first: Note;
  readonly count: number;
}

/** Folds notes that differ only in their place, in numbers or in quoted names. The order of the first ones is kept. */
export function foldNotes(notes: readonly Note[]): FoldedNote[] {
  const groups = new Map<string, { first: Note; count: number }>();
  for (const note of notes) {
    const key = JSON.stringify([note.kind, note.file, note.subject ?? note.message.replace(variable, "…")]);
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { first: note, count: 1 });
  }
  return [...groups.values()];
}

/** Ids, names and numbers in a message. */
const variable = /"[^"]*"|\d+(?:\.\d+)?/g;

/** True for a note about something that is not in the scenarios as it was in the file. */
export const isLoss = ({ kind }: Pick<Note, "kind">): boolean => kind !== "kept";

/** A note as it is handed to programs, which count for themselves. */
export function listedNote<Listed extends Note>(note: Listed): Omit<Listed, "subject"> {
  const { subject, ...listed } = note;
  return subject === undefined ? note : listed;
}
