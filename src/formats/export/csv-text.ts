import { stringify } from "csv-stringify/browser/esm/sync";

/** Rows as CSV. Cells with line breaks are quoted; text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? String(cell) : guard(cell.toWellFormed()))),
  );
  return stringify(cells, { quoted_match: /[\r\n\t]|^\s|\s$/ });
}

/** The guard goes before an apostrophe too when a formula follows, so that taking one away always gives the text back. */
const guard = (cell: string): string => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell);
