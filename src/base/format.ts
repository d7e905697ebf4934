import { formatFigure, formatPValue } from "./numbers.ts";
import { truncateText } from "./text.ts";

const moneyFormats = new Map<number, Intl.NumberFormat>();

/** Formats dollars with `digits` significant digits, without an exponent. */
export function moneyText(dollars: number, digits = 2): string {
  // Created on demand: a format takes time and memory, and most runs have no price.
  const format = moneyFormats.get(digits) ?? createMoneyFormat(digits);
  moneyFormats.set(digits, format);
  return format.format(dollars);
}

function createMoneyFormat(digits: number): Intl.NumberFormat {
  const rounded = { minimumSignificantDigits: digits, maximumSignificantDigits: digits };
  return new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", ...rounded });
}

/** A difference with its sign: 0.1 → "+0.100". Zero has no sign. */
export function signedText(value: number): string {
  const text = formatFigure(Math.abs(value));
  return Number(text) === 0 ? text : `${value < 0 ? "-" : "+"}${text}`;
}

/** A p value for a sentence: "= 0.031", "< 0.001". */
export function pValueText(p: number): string {
  return p < 0.001 ? "< 0.001" : `= ${formatPValue(p)}`;
}

const maximumItems = 5;
const maximumLength = 24;

/** The first few distinct items for a sentence, long ones cut: `refund, friday and 3 more`. */
export function shortList(items: readonly string[]): string {
  const distinct = [...new Set(items)];
  const shown = distinct.slice(0, maximumItems).map(shorten);
  const rest = distinct.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** Most words are short already. */
const shortWord = /^[!-~]{1,24}$/;

/** One line of at most 24 characters without control characters, cut between code points. */
export function shorten(text: string): string {
  if (shortWord.test(text)) return text;
  const start = text.slice(0, 8 * maximumLength);
  const characters = Array.from(toOneLine(start));
  if (characters.length <= maximumLength && start === text) return characters.join("");
  return `${characters.slice(0, maximumLength - 1).join("")}…`;
}

/** Directories of absolute paths and `file:` URLs; other URLs are left alone. */
const directories = /(?<![\w.:/\\-])(?:file:\/\/)?(?:[a-z]:)?[\\/](?:[^\\/\s'"`:()]+[\\/])+/giu;

/** An error's message for readers of results: file names stay, their directories on this machine do not. */
export function publicErrorMessage(error: unknown): string {
  return errorLine(error).replace(directories, "");
}

const maximumErrorLength = 200;

/** An error's message on one line of bounded length. `error` may be anything, even a value whose conversion to text throws. */
export function errorLine(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message || error.name : String(error);
    return truncateText(toOneLine(text), maximumErrorLength);
  } catch {
    return "unknown error";
  }
}

function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
