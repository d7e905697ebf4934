/** `1 scenario`, `2 scenarios`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The first `length` characters of a text, with an ellipsis when it is longer. Never splits a surrogate pair. */
export function truncateText(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/**
 * 30 combining marks followed by another one: UAX #15 allows 30 in a stream, and no language writes so many. The two half-width
 * sound marks are letters that NFKC turns into marks.
 */
const manyMarks = /[\p{M}\uFF9E\uFF9F]{30}(?=[\p{M}\uFF9E\uFF9F])/gu;
/** The grapheme joiner: invisible, and stops the reordering of marks across it. */
const joiner = "\u034F";

/** NFKC turns one letter (U+FDFA) into 18. A longer text that grows like that would fill the memory, so it only gets NFC. */
const longestGrown = 200_000;

/** NFKC in linear time: plain `normalize` takes hours to sort a megabyte of combining marks. */
export function normalizeNfkc(text: string): string {
  const safe = text.replace(manyMarks, `$&${joiner}`);
  const unified = safe.normalize("NFKC");
  return unified.length > longestGrown && unified.length > 2 * text.length ? safe.normalize("NFC") : unified;
}

/** No known name is nearly as long, and comparing megabytes would take seconds. */
const longestMisspelling = 80;

/** The known name that a misspelled one probably means, or undefined when none is close. Ignores case. */
export function closestName(typed: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || typed.length > longestMisspelling) return undefined;
  const wanted = typed.toLowerCase();
  const known = names.map((name) => name.slice(0, 2 * longestMisspelling).toLowerCase());
  const distances = known.map((name) => levenshtein(wanted, name));
  const smallest = Math.min(...distances);
  // At least one letter must match: "x" is equally far from every name of two letters.
  const limit = Math.min(wanted.length - 1, Math.max(2, wanted.length / 3));
  return smallest <= limit ? names[distances.indexOf(smallest)] : undefined;
}

/** The fewest insertions, deletions and replacements of letters. For short texts: it fills a table of both lengths. */
export function levenshtein(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let line = 1; line <= left.length; line++) {
    const next = [line];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (left[line - 1] === right[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** True when a header can carry the text unchanged: printable ASCII with single spaces between words. */
export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text);
}

/** True when the text has the form of the pattern, in which `*` stands for any text. Linear for any number of them. */
export function matchesWildcard(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** The text without these characters at its end, in linear time: a pattern such as `/[.]+$/` tries every place that begins a run. */
export function dropEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
