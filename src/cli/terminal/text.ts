import { stripVTControlCharacters } from "node:util";
import { moneyText } from "../../base/format.ts";

/** Untrusted text made safe for a terminal: one line, no escape codes, at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = stripVTControlCharacters(text).toWellFormed().replace(notShown, " ").replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}

/** The length limit for a text: `share` on a terminal, none when the output goes to a program. */
export const lengthWithin = (width: number, share: number): number => (width === Infinity ? Infinity : share);

/** Removes escape codes and control characters but keeps line breaks. */
export function stripControlCodes(text: string): string {
  return stripVTControlCharacters(text)
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "");
}

/**
 * A value as JSON with every invisible character escaped. JSON.stringify escapes less than half of them; the rest could
 * move the cursor, or reverse the text of a call that a person is asked to approve.
 */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(notShownInJson, (text) =>
    Array.from({ length: text.length }, (_, at) => escaped(text.charAt(at))).join(""),
  );
}

/**
 * Escapes control codes in text printed to a terminal: file names, service errors and reports may contain some. Line
 * breaks and our own colours stay.
 */
export function escapeControlCodes(text: string): string {
  return text.replace(actsOnTerminal, (found) => (ours.has(found) ? found : escaped(found) + found.slice(1)));
}

/** `0:41`, `12:03`, `1:02:03`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** US dollars; small amounts keep the digits that matter. */
export function spentText(dollars: number): string {
  return dollars >= 0.1 || dollars === 0 ? `$${dollars.toFixed(2)}` : moneyText(dollars);
}

/** Characters that move the cursor or hide text. Joiners are allowed: Persian words and emoji need them. */
const notShown = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\u200C\u200D]]+/gv;

/** Line breaks come from the indentation only. */
const notShownInJson = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\u200C\u200D]]/gv;

const actsOnTerminal = /\r\n|[\p{Cc}--[\n\t]](?:\[\d+m)?|[\u202A-\u202E\u2066-\u2069\u2028\u2029]/gv;
/** CRLF, and the codes for bold, dim, red, green and yellow with their resets. */
const ours: ReadonlySet<string> = new Set(["\r\n", ...[1, 2, 22, 31, 32, 33, 39].map((code) => `\u001B[${code}m`)]);

function escaped(text: string): string {
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
