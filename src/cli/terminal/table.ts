import { stripVTControlCharacters } from "node:util";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/**
 * Rows in aligned columns, one line per cell. On a terminal too narrow for that, first the gaps shrink, then each row
 * becomes a paragraph: a table with wrapped lines is unreadable.
 */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], width = Infinity): string {
  const titles = columns.map(({ title }) => title);
  const lines = columns.some(({ title }) => title !== "") ? [titles, ...rows] : rows;
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[index] ?? "")), 0),
  );
  const padded = lines.map((line) =>
    columns.map(({ align = "left" }, index) => pad(line[index] ?? "", widths[index] ?? 0, align)),
  );
  for (const gap of ["  ", " "]) {
    const text = padded.map((cells) => cells.join(gap).trimEnd());
    if (text.every((line) => widthOf(line) <= width)) return text.join("\n");
  }
  return rows.map((row) => paragraph(titles, row, width)).join("\n");
}

const indent = "  ";

/** A row's cells one after another, each with its column title, wrapped between words. */
function paragraph(
  [own, ...titles]: readonly string[],
  [first = "", ...cells]: readonly string[],
  width: number,
): string {
  const lines = own === "" ? [first.trimStart()] : [first.trimStart(), indent];
  const add = (text: string, gap: string): void => {
    const line = lines.at(-1) ?? "";
    const longer = line === indent ? indent + text : line + gap + text;
    if (line === indent || widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(indent + text);
  };
  for (const [index, cell] of cells.entries()) {
    if (cell === "") continue;
    const named = `${titles[index] ?? ""} ${cell}`.trimStart();
    if (widthOf(indent + named) <= width) add(named, "  ");
    else for (const [at, word] of named.split(" ").entries()) add(word, at === 0 ? "  " : " ");
  }
  return lines.join("\n").trimEnd();
}

/** Created on first use: it is expensive, and most cells are ASCII. */
let segmenter: Intl.Segmenter | undefined;
const plain = /^[ -~]*$/;
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{20000}-\u{3FFFD}]/u;

/** Terminal columns a text takes, without its escape codes. */
export function widthOf(text: string): number {
  const visible = stripVTControlCharacters(text);
  if (plain.test(visible)) return visible.length;
  let width = 0;
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(visible)) width += wide.test(segment) ? 2 : 1;
  return width;
}

function pad(text: string, width: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + space : space + text;
}
