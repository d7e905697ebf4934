import { stripVTControlCharacters } from "node:util";

/** All that could move the cursor or hide something. Joiners only hold letters together: Persian words and emoji need them. */
const notShown = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\u200C\u200D]]+/gv;

/** Text somebody else wrote, safe on a terminal: one line, no escape codes, at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = stripVTControlCharacters(text).toWellFormed().replace(notShown, " ").replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}

/** How much of a text is shown: its share of a terminal, and all of it where a program reads along. */
export const lengthWithin = (width: number, share: number): number => (width === Infinity ? Infinity : share);

/** The same with its lines kept: no escape codes, nothing that moves the cursor back. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "");
}

/**
 * A value as JSON for a terminal: what would not be seen there is written as an escape. JSON itself escapes less than
 * half of it: the rest could move the cursor, or turn the text around for somebody who is to approve it.
 */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(notShownInJson, (text) =>
    Array.from({ length: text.length }, (_, at) => escaped(text.charAt(at))).join(""),
  );
}

/** The line ends are those of the indentation. */
const notShownInJson = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\u200C\u200D]]/gv;

/**
 * Whatever we print, as a terminal may have it: the name of a file, a service's words for a failure or a report may hold
 * codes that act on it. They are written as escapes; line ends and our own colours stay.
 */
export function forTerminal(text: string): string {
  return text.replace(actsOnTerminal, (found) => (ours.has(found) ? found : escaped(found) + found.slice(1)));
}

const actsOnTerminal = /\r\n|[\p{Cc}--[\n\t]](?:\[\d+m)?|[\u202A-\u202E\u2066-\u2069\u2028\u2029]/gv;
/** Line ends, and bold, dim, red, green and yellow with what ends them. */
const ours: ReadonlySet<string> = new Set(["\r\n", ...[1, 2, 22, 31, 32, 33, 39].map((code) => `\u001B[${code}m`)]);

function escaped(text: string): string {
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
