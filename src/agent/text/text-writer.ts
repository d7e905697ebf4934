/** Collects running text into lines and blocks, as a browser lays it out: white space collapses, empty blocks vanish. */
export interface TextWriter {
  write(text: string): void;
  /** Begins a new line. `prefix` is written only when text follows. */
  line(prefix?: string): void;
  /** Begins a new block after an empty line. */
  block(prefix?: string): void;
  /** Begins a row of a table. */
  row(): void;
  /** Begins a cell of the row. */
  cell(): void;
  /** Ends the row: its cells stand on one line, set apart by bars, unless they hold more than a cell of data would. */
  endRow(): void;
  /** White space counts from here on, or collapses again. */
  keepSpaces(keep: boolean): void;
  /** Remembers this place for `wrapMarked`. */
  mark(): void;
  /**
   * Puts `[` before what was written since the last mark, and `suffix` after it. Of several lines, as in a card that is a
   * link as a whole, the first that is not a picture.
   */
  wrapMarked(suffix: string): void;
  text(): string;
}

export function createTextWriter(): TextWriter {
  const lines: string[] = [];
  const marks: { readonly line: number; column: number }[] = [];
  const rows: Row[] = [];
  /** The line so far, but for its end, which alone is looked at: a page may have all its text in one line. */
  let settled = "";
  let current = "";
  let prefix = "";
  let kept = false;

  const takeLine = (): string => {
    const text = settled + current;
    settled = "";
    current = "";
    return text;
  };
  const settle = () => {
    if (current.length <= longestEnd) return;
    const opened = marks.find((mark) => mark.line === lines.length)?.column ?? current.length;
    const length = Math.min(current.length - opened <= longestEnd ? opened : current.length, current.length - 1);
    settled += current.slice(0, length);
    current = current.slice(length);
    for (const mark of marks) if (mark.line === lines.length) mark.column = Math.max(0, mark.column - length);
  };
  const endLine = () => {
    const text = kept ? takeLine().trimEnd() : takeLine().trim();
    if (text !== "") lines.push(prefix + text);
    if (text !== "" || !prefix) prefix = "";
  };
  const line = (next = "") => {
    endLine();
    // A block inside a list item keeps the item's dash.
    if (next) prefix = next;
  };
  const block = (next = "") => {
    endLine();
    if (lines.length > 0 && lines.at(-1) !== "" && !prefix) lines.push("");
    if (next) prefix = next;
  };
  const write = (text: string) => {
    if (kept) writeKept(text);
    else current += collapse(text, current);
    settle();
  };
  const writeKept = (text: string) => {
    const [first = "", ...rest] = text.split(/\r?\n/);
    current += first;
    for (const next of rest) {
      lines.push(prefix + takeLine().trimEnd());
      prefix = "";
      current = next;
    }
  };

  const endRow = () => {
    endLine();
    const row = rows.pop();
    if (!row) return;
    const outer = rows.at(-1);
    if (outer) outer.holdsRows = true;
    if (row.holdsRows || row.cells.length < 2) return;
    const cells = row.cells.map((from, index) => lines.slice(from, row.cells[index + 1]).filter((text) => text !== ""));
    if (!cells.every(isData)) return;
    lines.length = row.cells[0] ?? 0;
    const text = cells.map((cell) => cell.join(" ")).join(" | ");
    if (/[^\s|]/.test(text)) lines.push(text.trim());
  };

  const wrapLine = (from: number, suffix: string) => {
    endLine();
    for (let index = from; index < Math.min(lines.length, from + mostCardLines); index += 1) {
      const [, start = "", label = ""] = /^(#{1,6} |- )?(.*)$/.exec(lines[index] ?? "") ?? [];
      if (label === "" || label.startsWith("[")) continue;
      lines[index] = `${start}[${label}${suffix}`;
      return;
    }
  };

  return {
    write,
    line,
    block,
    row: () => {
      endLine();
      rows.push({ cells: [], holdsRows: false });
    },
    cell: () => {
      endLine();
      rows.at(-1)?.cells.push(lines.length);
    },
    endRow,
    keepSpaces: (keep) => {
      block();
      kept = keep;
    },
    mark: () => marks.push({ line: lines.length, column: current.length }),
    wrapMarked: (suffix) => {
      const mark = marks.pop();
      if (!mark) return;
      if (mark.line !== lines.length) return wrapLine(mark.column === 0 ? mark.line : mark.line + 1, suffix);
      const label = current.slice(mark.column);
      if (label.trim() === "") return;
      const space = /^\s*/.exec(label)?.[0] ?? "";
      current = `${current.slice(0, mark.column)}${space}[${label.trim()}${suffix}`;
    },
    text: () => {
      endLine();
      return lines.join("\n").trim();
    },
  };
}

/** The text of a link is hardly ever longer; of one that is, the beginning stays outside. */
const longestEnd = 2000;

/** No link that people see as one has more. */
const mostCardLines = 20;

/** A row that is not over. */
interface Row {
  /** Where each cell begins. */
  readonly cells: number[];
  holdsRows: boolean;
}

const mostCellLines = 5;
const longestCell = 1000;

/** Pages are laid out in tables too: those have whole columns of text in a cell. */
const isData = (cell: readonly string[]) => cell.length <= mostCellLines && cell.join(" ").length <= longestCell;

function collapse(text: string, before: string): string {
  const collapsed = text.replaceAll(/\s+/g, " ");
  return before === "" || before.endsWith(" ") ? collapsed.replace(/^ /, "") : collapsed;
}
