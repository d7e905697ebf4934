import { stripVTControlCharacters } from "node:util";

/** Text somebody else wrote, safe on a terminal: one line, no escape codes, at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = stripVTControlCharacters(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}
