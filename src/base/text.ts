import { closest, distance } from "fastest-levenshtein";

/** The first `length` characters of a text, never half of a surrogate pair, with an ellipsis when something is missing. */
export function firstCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/**
 * As many marks in a row as UAX #15 allows in a stream, and one more behind them. No language writes so many. The two half-width
 * sound marks are letters until NFKC makes marks of them.
 */
const manyMarks = /[\p{M}\uFF9E\uFF9F]{30}(?=[\p{M}\uFF9E\uFF9F])/gu;
/** The grapheme joiner: cannot be seen, and keeps the marks before it apart from those behind it. */
const joiner = "\u034F";

/** Of one letter (U+FDFA) NFKC makes 18. A long text that grows like that is no text, and is left as it is: it would take all memory. */
const longestGrown = 200_000;

/**
 * The text with one form for characters that mean the same (NFKC), in time that grows with its length: putting a long row of marks
 * in order, as that form asks for, would take hours for a megabyte of them.
 */
export function compatibleText(text: string): string {
  const safe = text.replace(manyMarks, `$&${joiner}`);
  const unified = safe.normalize("NFKC");
  return unified.length > longestGrown && unified.length > 2 * text.length ? safe.normalize("NFC") : unified;
}

/** No name of ours is nearly as long; comparing one of megabytes would take a second. */
const longestMisspelling = 80;

/** The name that was probably meant, where one is near enough to be that. Capitals are no difference. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || typed.length > longestMisspelling) return undefined;
  const [wanted, ...known] = [typed, ...names].map((name) => name.toLowerCase()) as [string, ...string[]];
  const nearest = closest(wanted, known);
  // Of a name that was meant, something is left: "x" is as far from "id" as every other of two letters.
  const far = Math.min(wanted.length - 1, Math.max(2, wanted.length / 3));
  return distance(wanted, nearest) <= far ? names[known.indexOf(nearest)] : undefined;
}

/** Whether a header can carry a text as it is: printable ASCII, with single spaces between words. */
export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text);
}
