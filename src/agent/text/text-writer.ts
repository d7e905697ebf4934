/** Collects running text into lines and blocks, as a browser lays it out: white space collapses, empty blocks vanish. */
export interface TextWriter {
  write(text: string): void;
  /** Begins a new line. `prefix` is written only when text follows. */
  line(prefix?: string): void;
  /** Begins a new block after an empty line. */
  block(prefix?: string): void;
  /** Begins a table cell: cells of one row are set apart by a bar. */
  cell(): void;
  /** White space counts from here on, or collapses again. */
  keepSpaces(keep: boolean): void;
  /** Remembers this place for `wrapMarked`. */
  mark(): void;
  /** Puts `[` before what was written since the last mark, and `suffix` after it, when there is any on one line. */
  wrapMarked(suffix: string): void;
  text(): string;
}

export function createTextWriter(): TextWriter {
  const lines: string[] = [];
  const marks: { readonly line: number; readonly column: number }[] = [];
  let current = "";
  let prefix = "";
  let kept = false;

  const endLine = () => {
    const text = kept ? current.trimEnd() : current.trim();
    if (text !== "") lines.push(prefix + text);
    if (text !== "" || !prefix) prefix = "";
    current = "";
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
  };
  const writeKept = (text: string) => {
    const [first = "", ...rest] = text.split(/\r?\n/);
    current += first;
    for (const next of rest) {
      lines.push(prefix + current.trimEnd());
      prefix = "";
      current = next;
    }
  };

  return {
    write,
    line,
    block,
    cell: () => {
      if (current.trim() !== "") current = `${current.trimEnd()} | `;
    },
    keepSpaces: (keep) => {
      block();
      kept = keep;
    },
    mark: () => marks.push({ line: lines.length, column: current.length }),
    wrapMarked: (suffix) => {
      const mark = marks.pop();
      if (!mark || mark.line !== lines.length) return;
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

function collapse(text: string, before: string): string {
  const collapsed = text.replaceAll(/\s+/g, " ");
  return before === "" || before.endsWith(" ") ? collapsed.replace(/^ /, "") : collapsed;
}
