import { firstCharacters } from "../base/text.ts";
import type { Place } from "./scenario-file.ts";

/** A message may quote the file, whose names can be as long as it likes. */
const longestMessage = 2_000;

/** A file that cannot be read at all. The message is for the person who has the file: it names the place and what was expected. */
export class FormatError extends Error {
  override readonly name = "FormatError";
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly pointer: string | undefined;

  constructor(message: string, place: Place & { column?: number } = {}) {
    super(firstCharacters(`${placeText(place)}${message}`, longestMessage));
    this.line = place.line;
    this.column = place.column;
    this.pointer = place.pointer;
  }
}

function placeText({ line, column }: { line?: number | undefined; column?: number }): string {
  if (line === undefined) return "";
  return column === undefined ? `line ${line}: ` : `line ${line}, column ${column}: `;
}
