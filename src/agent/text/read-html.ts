import { Parser } from "htmlparser2";

interface HtmlText {
  readonly title: string | null;
  /** Headings as `#` lines, lists as `-` lines, links as `[text](address)`. */
  readonly text: string;
}

/** The readable text of a page, without scripts, styles, navigation and hidden parts. */
export function readHtml(html: string, { url }: { url?: string | undefined } = {}): HtmlText {
  const writer = createTextWriter();
  const reader = createHtmlReader(writer, { url, stop: () => parser.pause() });
  const parser = new Parser(reader, { decodeEntities: true });
  parser.write(html);
  parser.end();
  return { title: reader.title(), text: writer.text() };
}

const dropped = new Set(
  "script style nav noscript template svg math iframe object embed canvas audio video select button dialog".split(" "),
);
const blocks = new Set(
  `address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header hr
  legend main ol p section summary table tbody tfoot thead tr ul`.split(/\s+/),
);
const shownTitle = 300;

/** The parser's time grows with the square of the depth; real pages are far less deep. */
const deepest = 5000;

function createHtmlReader(writer: TextWriter, { url, stop }: { url: string | undefined; stop: () => void }) {
  let base = url;
  let depth = 0;
  /** The depth of the outermost skipped element; 0 outside of one. */
  let droppedAt = 0;
  let title = "";
  let inTitle = false;
  const links: (string | null)[] = [];

  const open = (name: string, attributes: Readonly<Record<string, string>>) => {
    depth += 1;
    if (depth > deepest) return stop();
    if (droppedAt > 0) return;
    if (dropped.has(name) || isHidden(attributes)) {
      droppedAt = depth;
    } else if (name === "title") inTitle = title === "";
    else if (name === "base") base = resolve(attributes["href"], url) ?? base;
    else if (name === "a") {
      links.push(resolve(attributes["href"], base));
      writer.mark();
    } else if (name === "img") {
      if (attributes["alt"]) writer.write(`[image: ${attributes["alt"]}]`);
    } else openBlock(writer, name);
  };

  const close = (name: string) => {
    depth -= 1;
    if (droppedAt > 0) {
      if (depth < droppedAt) droppedAt = 0;
    } else if (name === "title") inTitle = false;
    else if (name === "a") {
      const address = links.pop();
      if (address) writer.wrapMarked(`](${address})`);
    } else closeBlock(writer, name);
  };

  return {
    onopentag: open,
    onclosetag: close,
    ontext: (text: string) => {
      if (droppedAt > 0) return;
      if (inTitle) title += text;
      else writer.write(text);
    },
    title: () => title.replaceAll(/\s+/g, " ").trim().slice(0, shownTitle) || null,
  };
}

function openBlock(writer: TextWriter, name: string): void {
  const level = headingLevel(name);
  if (level > 0) writer.block(`${"#".repeat(level)} `);
  else if (name === "li") writer.line("- ");
  else if (name === "br") writer.line();
  else if (name === "pre") writer.keepSpaces(true);
  else if (name === "td" || name === "th") writer.cell();
  else if (name === "tr") writer.row();
  else if (blocks.has(name)) writer.block();
}

function closeBlock(writer: TextWriter, name: string): void {
  if (name === "pre") writer.keepSpaces(false);
  else if (name === "tr") writer.endRow();
  else if (name === "li") writer.line();
  else if (headingLevel(name) > 0 || blocks.has(name)) writer.block();
}

const headingLevel = (name: string) => (/^h[1-6]$/.test(name) ? Number(name[1]) : 0);

/** Pages hide instructions for models in text that readers never see. */
function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if ("hidden" in attributes || attributes["aria-hidden"] === "true") return true;
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes["style"] ?? "");
}

const longestAddress = 500;

/** Only http and https addresses: a `javascript:` link stays plain text. */
function resolve(address: string | undefined, base: string | undefined): string | null {
  if (!address || address.startsWith("#")) return null;
  const parsed = URL.parse(address, base);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.href.length > longestAddress) return null;
  return parsed.href;
}

/** Collects text in lines and blocks as a browser lays it out: white space collapses, empty blocks vanish. */
interface TextWriter {
  write(text: string): void;
  /** Begins a line. `prefix` is written only when text follows. */
  line(prefix?: string): void;
  /** Begins a block after an empty line. */
  block(prefix?: string): void;
  row(): void;
  cell(): void;
  /** Ends a table row: short cells are joined on one line, separated by bars; cells with more text keep their lines. */
  endRow(): void;
  /** Keeps white space from here on, or collapses it again. */
  keepSpaces(keep: boolean): void;
  /** Marks this position for `wrapMarked`. */
  mark(): void;
  /**
   * Puts `[` before the text since the last mark, and `suffix` after it. Of several lines, as in a card that is a link as a whole,
   * only the first that is not a picture.
   */
  wrapMarked(suffix: string): void;
  text(): string;
}

function createTextWriter(): TextWriter {
  const lines: string[] = [];
  const marks: { readonly line: number; column: number }[] = [];
  const rows: Row[] = [];
  /** The line so far, without its end in `current`: only the end is searched, because a page may have all its text in one line. */
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
    // A block inside a list item keeps the dash of the item.
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

/** Longest text of a link; of a longer one the beginning stays outside the brackets. */
const longestEnd = 2000;

/** Most lines of a card that is a link. */
const mostCardLines = 20;

/** An open table row. */
interface Row {
  /** The first line of each cell. */
  readonly cells: number[];
  holdsRows: boolean;
}

const mostCellLines = 5;
const longestCell = 1000;

/** A layout table has whole columns of text in a cell, a data table does not. */
const isData = (cell: readonly string[]) => cell.length <= mostCellLines && cell.join(" ").length <= longestCell;

function collapse(text: string, before: string): string {
  const collapsed = text.replaceAll(/\s+/g, " ");
  return before === "" || before.endsWith(" ") ? collapsed.replace(/^ /, "") : collapsed;
}
