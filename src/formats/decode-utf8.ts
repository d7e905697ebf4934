import { FormatError } from "./format-error.ts";
import { refuseBinary } from "./refuse-binary.ts";

const howToConvert =
  "convert it: iconv -f CP1252 -t UTF-8 old.csv > new.csv (CP1252 is Western; CP1251 Cyrillic, CP932 Japanese, GB18030 Chinese)";

/**
 * The text of a file. Whatever is no UTF-8 is refused with its line: decoded all the same, an umlaut that a spreadsheet wrote in the
 * encoding of its system would be asked and scored as "�".
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    refuseBinary(new TextDecoder().decode(bytes));
    throw new FormatError(`this is no UTF-8; save the file as UTF-8 text, or ${howToConvert}`, {
      line: firstForeignLine(bytes),
    });
  }
}

/** No byte of a character of several bytes is a line break, so each line is UTF-8 by itself. */
function firstForeignLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const rest = end < 0 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, rest))) return line;
    start = rest + 1;
  }
  return line;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
