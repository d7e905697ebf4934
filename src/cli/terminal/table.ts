import { stripVTControlCharacters } from "node:util";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** Text in columns, as wide as they must be. Cells hold one line each. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map(({ title }) => title);
  const lines = columns.some(({ title }) => title !== "") ? [titles, ...rows] : rows;
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ""))));
  return lines
    .map((line) =>
      columns
        .map(({ align = "left" }, index) => pad(line[index] ?? "", widths[index] ?? 0, align))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Made when it is needed, which costs as much as all else here: most cells are plain. */
let segmenter: Intl.Segmenter | undefined;
const plain = /^[ -~]*$/;
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{20000}-\u{3FFFD}]/u;

/** Cells a text takes on a terminal, escape codes left aside. */
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
