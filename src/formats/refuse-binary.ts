import { FormatError } from "./format-error.ts";

/** A control character other than white space: no text begins with one. */
const isControl = (character: string): boolean => character < " " && character.trim() !== "";
/** Every second byte of plain text is 0 in UTF-16; its mark at the beginning is no UTF-8. */
const utf16 = /^(?:\uFFFD\uFFFD)?(?:\0[^\0]|[^\0]\0)/;

/** What people bring that is no text: archives (spreadsheets, Inspect's `.eval` logs), UTF-16, pictures, PDF, and what Git LFS leaves in place of a file. */
export function refuseBinary(text: string): void {
  const start = text.slice(0, 32);
  if (start.startsWith("PK\u0003\u0004")) {
    throw new FormatError(
      "this is an archive, not text; save a spreadsheet as CSV, and import an Inspect log on the command line or as JSON (`inspect log convert`)",
    );
  }
  if (text.startsWith("version https://git-lfs.github.com/spec/")) {
    throw new FormatError("this is a pointer of Git LFS, not the file; `git lfs pull` brings the file");
  }
  if (utf16.test(start)) throw new FormatError("this is UTF-16 or binary; save the file as UTF-8 text");
  if (start.startsWith("%PDF-") || [...start].some(isControl)) throw new FormatError("this is a binary file, not text");
}
