import { parse } from "csv-parse/browser/esm/sync";
import { FormatError } from "../format-error.ts";

export interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const usual = { info: true, relax_column_count: true, record_delimiter: ["\r\n", "\n", "\r"] };
/** As spreadsheets and other readers do: a quote inside a cell is text, and blanks around a quoted cell are none of it. */
const lenient = { ...usual, relax_quotes: true, trim: true, raw: true };

/** The rows of a table, with the line each of them ends in. */
export function parseCsv(text: string, delimiter: string): ParsedRecord[] {
  try {
    return parse(text, { ...usual, delimiter }) as unknown as ParsedRecord[];
  } catch {
    return delimiter === "\t" ? parseTabs(text) : parseLeniently(text, delimiter);
  }
}

/** Between tabs many write quotes as they are, with no rule for them at all: where the rule does not fit, they are text. */
function parseTabs(text: string): ParsedRecord[] {
  try {
    return parseLeniently(text, "\t");
  } catch {
    return parse(text, { ...usual, delimiter: "\t", quote: null }) as unknown as ParsedRecord[];
  }
}

function parseLeniently(text: string, delimiter: string): ParsedRecord[] {
  let records: (ParsedRecord & { readonly raw: string })[];
  try {
    records = parse(text, { ...lenient, delimiter }) as unknown as typeof records;
  } catch (error) {
    const { code, message = "unreadable", lines } = error as { code?: string; message?: string; lines?: number };
    if (code === "CSV_QUOTE_NOT_CLOSED") throw notValid(noEnd, openRow(text, delimiter));
    throw notValid(code?.endsWith("CLOSING_QUOTE") ? openEnd : message, lines);
  }
  let line = 1;
  for (const { record, info, raw } of records) {
    if (record.some((cell) => goesOn(cell, raw))) throw notValid(openEnd, line);
    line = info.lines + 1;
  }
  return records;
}

const openEnd = "a cell goes on after its closing quote; inside quotes a quote is written twice";

const noEnd = "Quote Not Closed: a cell of the row that begins here has an opening quote and no closing one";

/** The line after the last row that is whole. The parser itself names the last line of the file. */
function openRow(text: string, delimiter: string): number {
  let line = 1;
  const onRecord = (record: string[], { lines }: { lines: number }): string[] => {
    line = lines + 1;
    return record;
  };
  try {
    parse(text, { ...lenient, delimiter, on_record: onRecord });
  } catch {
    // That it cannot be read is known.
  }
  return line;
}

const notValid = (reason: string, line: number | undefined): FormatError =>
  new FormatError(`not valid CSV: ${reason}`, { line });

/** Where such a cell was meant to end nobody can tell: at the next separator, or after it. */
const goesOn = (cell: string, raw: string): boolean =>
  cell.startsWith('"') && !raw.includes(`"${cell.replaceAll('"', '""')}"`);
