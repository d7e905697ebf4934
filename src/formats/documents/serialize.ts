import { stringify } from "csv-stringify/browser/esm/sync";

export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

// Tools that accept both syntaxes decide by the file extension.

/** JSON lines, or a JSON list for a file named `.json`. */
export function linesOrList(values: readonly unknown[], ending?: string): string {
  return ending === "json" ? prettyJson(values) : jsonLines(values);
}

/** A JSON list, or JSON lines for a file named `.jsonl`. */
export function listOrLines(values: readonly unknown[], ending?: string): string {
  return ending === "jsonl" ? jsonLines(values) : prettyJson(values);
}

/** Writes CSV. An apostrophe is put before text that a spreadsheet would run as a formula. */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? String(cell) : guard(cell.toWellFormed()))),
  );
  return stringify(cells, { quoted_match: /[\r\n\t]|^\s|\s$/ });
}

/** Text with leading apostrophes before a formula is guarded too, so that removing one apostrophe always restores the text. */
const guard = (cell: string): string => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell);
