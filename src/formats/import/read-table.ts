import { FormatError } from "../format-error.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { parseCsv, type ParsedRecord } from "./parse-csv.ts";
import type { Row, Table } from "./table.ts";

interface TableSource {
  readonly text: string;
  readonly collector: Pick<ScenarioCollector, "note">;
  readonly delimiter?: string | undefined;
}

/** The rows of CSV, TSV and their relatives; the first row that is not empty names the columns. */
export function readTable({ text, collector, delimiter = detectDelimiter(text) }: TableSource): Table {
  const all = parseCsv(text, delimiter);
  const first = all.findIndex(({ record }) => !isEmpty(record) && !isHint(record, delimiter));
  const [header, ...records] = all.slice(Math.max(first, 0));
  if (!header) throw new FormatError("the file is empty");
  const names = uniqueNames(header.record, collector);
  noteNameless(header.record, records, collector);
  let line = header.info.lines + 1;
  const isMarkdown = delimiter === "|" && isRule(records[0]?.record ?? []);
  const rows = records.flatMap(({ record: written, info }, index): Row[] => {
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

/** What a row has under the columns with a name. One that ends early has no more: empty cells would make a small file of many columns large. */
function cellsOf(record: readonly string[], names: readonly string[]): Row["cells"] {
  const named = record.map((cell, index) => [names[index] ?? "", withoutGuard(cell)] as const);
  return Object.fromEntries(named.filter(([name]) => name !== ""));
}

const isEmpty = (record: readonly string[]): boolean => record.every((cell) => cell === "");

/** The line of dashes below the names of a Markdown table. */
const isRule = (record: readonly string[]): boolean =>
  !isEmpty(record) && record.every((cell) => /^\s*(?::?-+:?\s*)?$/.test(cell));

/** `sep=;` in the first line tells Excel the separator, and is no column. */
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
    collector.note("dropped", { line: 1 }, `a second column ${name}; the first counts`);
    return "";
  });
}

/** Such as the row numbers that pandas writes, or a remark beside the table. */
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
    collector.note("dropped", { line: 1 }, `column ${index + 1} has no name; what it holds was left out (${count})`);
}

/** Our exports and spreadsheets put an apostrophe before text that would be taken for a formula; it is not part of the text. */
const withoutGuard = (cell: string): string => (/^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell);

const delimiters = [",", "\t", ";", "|"] as const;

/** The separator that is named, as for Excel, or occurs most often in the header, outside quotes. */
export function detectDelimiter(text: string): string {
  const table = fromFirstLine(text);
  const named = /^"?sep=([,\t;|])"?(?:[\r\n]|$)/i.exec(table)?.[1];
  if (named !== undefined) return named;
  const header = firstRow(table).replace(/"[^"]*"/g, "");
  const counted = delimiters.map((delimiter) => ({ delimiter, count: header.split(delimiter).length - 1 }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

/** Without the blank lines before. */
function fromFirstLine(text: string): string {
  const first = text.search(/[^ \t\r\n]/);
  const blank = first < 0 ? text : text.slice(0, first);
  return text.slice(Math.max(blank.lastIndexOf("\n"), blank.lastIndexOf("\r")) + 1);
}

/** As far as the first line end outside quotes, or a quote that stays open. */
function firstRow(text: string): string {
  const mark = /["\r\n]/g;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const end = match[0] === '"' ? text.indexOf('"', match.index + 1) : -1;
    if (end < 0) return text.slice(0, match.index);
    mark.lastIndex = end + 1;
  }
  return text;
}
