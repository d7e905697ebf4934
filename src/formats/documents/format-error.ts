import { truncateText } from "../../base/text.ts";

/** A location in a file: a line, an RFC 6901 pointer, or both. */
export interface SourceLocation {
  /** Set if it is not the imported file. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly pointer?: string | undefined;
}

/** Messages may quote the file, whose names can be very long. */
const longestMessage = 2_000;

/** An unreadable file. The message is for the file's author: it says where the error is and what was expected. */
export class FormatError extends Error {
  override readonly name = "FormatError";
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly pointer: string | undefined;

  constructor(message: string, place: SourceLocation & { column?: number } = {}) {
    super(truncateText(`${placeText(place)}${message}`, longestMessage));
    this.line = place.line;
    this.column = place.column;
    this.pointer = place.pointer;
  }
}

function placeText({ line, column }: { line?: number | undefined; column?: number }): string {
  if (line === undefined) return "";
  return column === undefined ? `line ${line}: ` : `line ${line}, column ${column}: `;
}
