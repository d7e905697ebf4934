import { metrics, type Goal, type Metric, type Row } from "../bench.ts";
import { medianOf, rangeOf, ratioOf } from "../harness/interleave.ts";

/** The rows of a bench as cells: a median, from the lowest to the highest, and how many times the reference's it is. */
export function rowsToCells(rows: readonly Row[]): string[][] {
  const used = (Object.keys(metrics) as Metric[]).filter((metric) =>
    rows.some(({ samples }) => samples.some((figures) => figures[metric] !== undefined)),
  );
  const header = ["work", "subject", ...used.map((metric) => metrics[metric].title)];
  const lines = rows.map((row) => [
    row.work,
    row.subject,
    ...(row.skipped === undefined || row.samples.length > 0
      ? used.map((metric) => cellText(rows, row, metric))
      : [`skipped: ${row.skipped}`]),
  ]);
  return [header, ...lines];
}

function cellText(rows: readonly Row[], { work, subject, reference }: Row, metric: Metric): string {
  const value = medianOf(rows, { work, subject, metric });
  if (value === null) return "";
  const ratio = reference === undefined ? null : ratioOf(rows, { work, subject, metric }, reference);
  const { digits } = metrics[metric];
  const spread = rangeText(rangeOf(rows, { work, subject, metric }), digits);
  return `${value.toFixed(digits)}${spread}${ratio === null ? "" : ` ×${ratio.toFixed(2)}`}`;
}

/** Nothing for measurements that show as one number. */
function rangeText(range: readonly [number, number] | undefined, digits: number): string {
  if (!range) return "";
  const [lowest, highest] = range.map((end) => end.toFixed(digits));
  return lowest === highest ? "" : ` (${lowest}–${highest})`;
}

export function goalsToCells(goals: readonly Goal[]): string[][] {
  const lines = goals.map(({ what, value, range, sense, limit }) => {
    const digits = limit < 1 ? 3 : limit < 100 ? 2 : 0;
    return [
      what,
      `${sense} ${limit}`,
      value === null ? "not measured" : `${value.toFixed(digits)}${rangeText(range, digits)}`,
      value === null ? "" : isMet({ value, sense, limit }) ? "met" : "missed",
    ];
  });
  return [["goal", "promise", "measured", ""], ...lines];
}

function isMet({ value, sense, limit }: { value: number; sense: Goal["sense"]; limit: number }): boolean {
  return sense === "at most" ? value <= limit : value >= limit;
}

/** Columns under each other, for a terminal. */
export function toText(cells: readonly (readonly string[])[]): string {
  const [header = []] = cells;
  const widths = header.map((_, column) =>
    // The last cell of a short line is a sentence that may run on.
    Math.max(
      ...cells.map((line) => (column < line.length - 1 || line.length === header.length ? line[column]!.length : 0)),
    ),
  );
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** In columns as wide as they must be, which is how our pages are formatted. */
export function toMarkdown(cells: readonly (readonly string[])[]): string {
  const [header = [], ...lines] = cells.map((columns) => columns.map((text) => text.replaceAll("|", "\\|")));
  const whole = lines.map((columns) => header.map((_, index) => columns[index] ?? ""));
  const widths = header.map((title, index) => Math.max(3, title.length, ...whole.map((line) => line[index]!.length)));
  const row = (columns: readonly string[]): string =>
    `| ${columns.map((text, index) => text.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [row(header), row(widths.map((width) => "-".repeat(width))), ...whole.map(row)].join("\n");
}
