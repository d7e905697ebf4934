import { parse } from "csv-parse/browser/esm/sync";
import type { JsonRecord } from "../../base/json.ts";
import type { ScenarioCollector } from "../shared/scenario-collector.ts";
import { FormatError, type SourceLocation } from "../documents/format-error.ts";

export interface TableRow {
  readonly place: SourceLocation;
  readonly cells: JsonRecord;
}

export interface Table {
  readonly names: readonly string[];
  readonly rows: readonly TableRow[];
}

interface TableSource {
  readonly text: string;
  readonly collector: Pick<ScenarioCollector, "note">;
  readonly delimiter?: string | undefined;
}

/** Reads CSV, TSV and similar tables; the first non-empty row has the column names. */
export function readTable({ text, collector, delimiter = detectDelimiter(text) }: TableSource): Table {
  const all = parseCsv(text, delimiter);
  const first = all.findIndex(({ record }) => !isEmpty(record) && !isHint(record, delimiter));
  const [header, ...records] = all.slice(Math.max(first, 0));
  if (!header) throw new FormatError("the file is empty");
  const names = uniqueNames(header.record, collector);
  noteNameless(header.record, records, collector);
  let line = header.info.lines + 1;
  const isMarkdown = delimiter === "|" && isRule(records[0]?.record ?? []);
  const rows = records.flatMap(({ record: written, info }, index): TableRow[] => {
    const place = { line };
    line = info.lines + 1;
    const record = isMarkdown ? written.map((cell) => cell.trim()) : written;
    if (isEmpty(record) || (isMarkdown && index === 0)) return [];
    const extra = record.slice(names.length).filter((value) => value !== "");
    if (extra.length > 0)
      collector.note(
        "dropped",
        place,
        `the row has ${extra.length} more ${extra.length === 1 ? "cell" : "cells"} than there are columns`,
      );
    return [{ place, cells: cellsOf(record, names) }];
  });
  return { names: names.filter((name) => name !== ""), rows };
}

/** Short rows get no empty cells: these would inflate a small file with many columns. */
function cellsOf(record: readonly string[], names: readonly string[]): TableRow["cells"] {
  const named = record.map((cell, index) => [names[index] ?? "", withoutGuard(cell)] as const);
  return Object.fromEntries(named.filter(([name]) => name !== ""));
}

const isEmpty = (record: readonly string[]): boolean => record.every((cell) => cell === "");

/** True for the separator line of a Markdown table. */
const isRule = (record: readonly string[]): boolean =>
  !isEmpty(record) && record.every((cell) => /^\s*(?::?-+:?\s*)?$/.test(cell));

/** A first line `sep=;` declares the separator for Excel. */
const isHint = (record: readonly string[], delimiter: string): boolean =>
  record.join(delimiter).toLowerCase() === `sep=${delimiter}`;

function uniqueNames(header: readonly string[], collector: TableSource["collector"]): string[] {
  const seen = new Set<string>();
  return header.map((cell) => {
    const name = withoutGuard(cell).trim();
    if (name === "") return "";
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    collector.note("dropped", { line: 1 }, `a second column ${name}; the first one is used`);
    return "";
  });
}

/** For example row numbers written by pandas, or remarks beside the table. */
function noteNameless(
  header: readonly string[],
  records: readonly ParsedRecord[],
  collector: TableSource["collector"],
): void {
  const counts = new Map<number, number>();
  for (const { record } of records) {
    for (const [index, cell] of record.entries())
      if (cell !== "" && header[index]?.trim() === "") counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  for (const [index, count] of [...counts].toSorted(([left], [right]) => left - right))
    collector.note("dropped", { line: 1 }, `column ${index + 1} has no name; its cells were dropped (${count})`);
}

/** Removes the apostrophe that our exports and spreadsheets put before text that looks like a formula. */
const withoutGuard = (cell: string): string => (/^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell);

const delimiters = [",", "\t", ";", "|"] as const;

/** The declared separator, or the most frequent one in the header outside quotes. */
export function detectDelimiter(text: string): string {
  const table = fromFirstLine(text);
  const named = /^"?sep=([,\t;|])"?(?:[\r\n]|$)/i.exec(table)?.[1];
  if (named !== undefined) return named;
  const header = firstRow(table).replace(/"[^"]*"/g, "");
  const counted = delimiters.map((delimiter) => ({ delimiter, count: header.split(delimiter).length - 1 }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

/** Skips leading blank lines. */
function fromFirstLine(text: string): string {
  const first = text.search(/[^ \t\r\n]/);
  const blank = first < 0 ? text : text.slice(0, first);
  return text.slice(Math.max(blank.lastIndexOf("\n"), blank.lastIndexOf("\r")) + 1);
}

/** The text up to the first line break outside quotes, or up to an unclosed quote. */
function firstRow(text: string): string {
  const mark = /["\r\n]/g;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const end = match[0] === '"' ? text.indexOf('"', match.index + 1) : -1;
    if (end < 0) return text.slice(0, match.index);
    mark.lastIndex = end + 1;
  }
  return text;
}

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const strict = { info: true, relax_column_count: true, record_delimiter: ["\r\n", "\n", "\r"] };
/** Lenient like spreadsheets: a quote inside a cell is text, and blanks around a quoted cell are ignored. */
const lenient = { ...strict, relax_quotes: true, trim: true, raw: true };

/** Parses rows, each with the line where it ends. */
function parseCsv(text: string, delimiter: string): ParsedRecord[] {
  try {
    return parse(text, { ...strict, delimiter }) as unknown as ParsedRecord[];
  } catch {
    return delimiter === "\t" ? parseTabs(text) : parseLeniently(text, delimiter);
  }
}

/** Tab-separated files often contain unescaped quotes: if the quoting rules fail, quotes are text. */
function parseTabs(text: string): ParsedRecord[] {
  try {
    return parseLeniently(text, "\t");
  } catch {
    return parse(text, { ...strict, delimiter: "\t", quote: null }) as unknown as ParsedRecord[];
  }
}

function parseLeniently(text: string, delimiter: string): ParsedRecord[] {
  let records: (ParsedRecord & { readonly raw: string })[];
  try {
    records = parse(text, { ...lenient, delimiter }) as unknown as typeof records;
  } catch (error) {
    const { code, message = "unreadable", lines } = error as { code?: string; message?: string; lines?: number };
    if (code === "CSV_QUOTE_NOT_CLOSED") throw notValid(unclosedQuote, openRow(text, delimiter));
    throw notValid(code?.endsWith("CLOSING_QUOTE") ? textAfterQuote : message, lines);
  }
  let line = 1;
  for (const { record, info, raw } of records) {
    if (record.some((cell) => isAmbiguous(cell, raw))) throw notValid(textAfterQuote, line);
    line = info.lines + 1;
  }
  return records;
}

const textAfterQuote = "a cell continues after its closing quote; inside quotes, write a quote twice";

const unclosedQuote =
  "Quote Not Closed: the row that starts here has a cell with an opening quote and no closing quote";

/** The line after the last complete row. The parser itself reports the last line of the file. */
function openRow(text: string, delimiter: string): number {
  let line = 1;
  const onRecord = (record: string[], { lines }: { lines: number }): string[] => {
    line = lines + 1;
    return record;
  };
  try {
    parse(text, { ...lenient, delimiter, on_record: onRecord });
  } catch {
    // The error is already known; only the position is wanted.
  }
  return line;
}

const notValid = (reason: string, line: number | undefined): FormatError =>
  new FormatError(`not valid CSV: ${reason}`, { line });

/** True for a cell whose end is ambiguous: at the next separator or later. */
const isAmbiguous = (cell: string, raw: string): boolean =>
  cell.startsWith('"') && !raw.includes(`"${cell.replaceAll('"', '""')}"`);
