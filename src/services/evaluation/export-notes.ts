import type { Note } from "../../formats/scenario-file.ts";

/** Proxies and clients take a few kilobytes of headers at most. */
const longestNotes = 2_000;

/** What a file leaves out, for a header: how many notes there are, and as many of them as it may hold. A header is ASCII only. */
export function exportNotes(notes: readonly Note[]): string | null {
  if (notes.length === 0) return null;
  const shown: string[] = [];
  let size = 0;
  for (const { message } of notes) {
    size += asciiJson(message).length;
    if (size > longestNotes) break;
    shown.push(message);
  }
  return asciiJson({ count: notes.length, notes: shown });
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
