/** One paragraph, list, table or code block. */
interface PassageBlock {
  readonly headings: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const wantedLength = 1000;
const overlapLength = 240;

/**
 * Splits Markdown or plain text into passages of about 1000 characters that never cross a heading. A passage repeats the last block of
 * the one before it when that is short, so that an answer across two passages is still found.
 */
export function splitMarkdown(text: string): readonly Passage[] {
  return joinBlocks(readDocumentBlocks(text));
}

/** The same for text without markup, such as a page of a PDF. */
export function splitText(text: string): readonly Passage[] {
  const lines = text.split(lineEnd);
  const blocks: PassageBlock[] = [];
  let from = 0;
  for (const [index, line] of [...lines, ""].entries()) {
    if (line.trim() !== "") continue;
    const body = lines.slice(from, index).join("\n").trim();
    if (body !== "") blocks.push({ headings: noHeadings, from: from + 1, to: index, text: body });
    from = index + 1;
  }
  return joinBlocks(blocks);
}

const lineEnd = /\r\n|\n|\r/;
const noHeadings: readonly string[] = [];

function joinBlocks(blocks: readonly PassageBlock[]): readonly Passage[] {
  const passages: Passage[] = [];
  let open: PassageBlock[] = [];
  let length = 0;
  const close = () => {
    if (open.length > 0) passages.push(toPassage(open));
  };
  const begin = (blocks: PassageBlock[]) => {
    open = blocks;
    length = blocks.reduce((sum, block) => sum + block.text.length, 0);
  };
  for (const block of blocks.flatMap(splitLong)) {
    const [first] = open;
    const sameSection = first && first.headings === block.headings;
    if (!sameSection) {
      close();
      begin([block]);
    } else if (length + block.text.length > wantedLength) {
      close();
      begin([...overlap(open), block]);
    } else {
      open.push(block);
      length += block.text.length;
    }
  }
  close();
  return passages;
}

function overlap(blocks: readonly PassageBlock[]): readonly PassageBlock[] {
  const last = blocks.at(-1);
  return last && blocks.length > 1 && last.text.length <= overlapLength ? [last] : [];
}

function toPassage(blocks: readonly PassageBlock[]): Passage {
  const first = blocks[0] as PassageBlock;
  const last = blocks.at(-1) as PassageBlock;
  return {
    headings: first.headings,
    lines: { from: first.from, to: last.to },
    page: null,
    text: blocks.map((block) => block.text).join("\n\n"),
  };
}

function readDocumentBlocks(text: string): readonly PassageBlock[] {
  const lines = text.split(lineEnd);
  const blocks: PassageBlock[] = [];
  let levels: (string | undefined)[] = [];
  let headings: readonly string[] = [];
  let open: string[] = [];
  let fence: string | null = null;
  let bare: BareHeading | null = null;

  const close = (end: number) => {
    const body = open.join("\n").trim();
    if (body !== "") {
      blocks.push({ headings, from: end - open.length + 1, to: end, text: body });
      bare = null;
    }
    open = [];
  };
  const enter = (level: number, title: string, line: number) => {
    const above = levels.slice(0, level - 1);
    const around = bare?.level === level ? bare.headings : named(above);
    if (bare && level <= bare.level) blocks.push(bare);
    bare = { level, headings: around, from: line, to: line, text: title };
    levels = [...above, title];
    headings = named(levels);
  };

  const begin = frontMatterEnd(lines);
  for (const [index, line] of lines.entries()) {
    if (index < begin) continue;
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    if (fence !== null) {
      open.push(line);
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    if (mark) fence = mark;
    const heading = /^\s{0,3}(#{1,6})\s+(\S.*)$/.exec(line);
    const underline = open.length === 1 && /^\s{0,3}(=+|-{2,})\s*$/.exec(line)?.[1];
    if (heading) {
      close(index);
      enter(heading[1]?.length ?? 1, withoutClosing(heading[2] ?? ""), index + 1);
    } else if (underline) {
      const title = open.pop()?.trim() ?? "";
      enter(underline.startsWith("=") ? 1 : 2, title, index);
    } else if (line.trim() === "") close(index);
    else open.push(line);
  }
  close(lines.length);
  return bare ? [...blocks, bare] : blocks;
}

/** A heading without text below it so far. If none follows, the heading itself becomes a passage. */
interface BareHeading extends PassageBlock {
  readonly level: number;
}

const named = (levels: readonly (string | undefined)[]) => levels.filter((name) => name !== undefined);

/** Removes closing signs, as in `## Title ##`; the sign in `## C#` belongs to the title. */
function withoutClosing(heading: string): string {
  const title = heading.trimEnd();
  let end = title.length;
  while (title[end - 1] === "#") end--;
  return /\s/.test(title[end - 1] ?? "") ? title.slice(0, end).trimEnd() : title;
}

/** The line after the front matter, a `---` block at the very top. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trim() !== "---") return 0;
  return lines.indexOf("---", 1) + 1;
}

/** Cuts a long block where lines, sentences or words end. */
function splitLong(block: PassageBlock): readonly PassageBlock[] {
  if (block.text.length <= wantedLength * 1.5) return [block];
  const pieces: PassageBlock[] = [];
  let start = 0;
  let from = block.from;
  while (start < block.text.length) {
    const end = cutAt(block.text, start);
    const text = block.text.slice(start, end);
    if (text.trim() !== "") {
      pieces.push({ ...block, from, to: from + countLines(text.trimEnd()), text: text.trim() });
    }
    from += countLines(text);
    start = end;
  }
  return pieces;
}

const boundaries = [/\n/g, /[.!?。！？]\s?/g, /\s/g];

function cutAt(text: string, start: number): number {
  const limit = start + wantedLength;
  if (limit >= text.length) return text.length;
  const window = text.slice(start + wantedLength / 2, limit);
  for (const boundary of boundaries) {
    const last = [...window.matchAll(boundary)].at(-1);
    if (last) return start + wantedLength / 2 + last.index + last[0].length;
  }
  // A surrogate pair stays whole.
  return /[\ud800-\udbff]/.test(text[limit - 1] ?? "") ? limit - 1 : limit;
}

const countLines = (text: string) => text.split("\n").length - 1;

/** A part of a document, short enough to be quoted, with its location. */
export interface Passage {
  /** Headings above it, outermost first. */
  readonly headings: readonly string[];
  /** Line numbers in the file, counted from 1; null for formats without lines. */
  readonly lines: { readonly from: number; readonly to: number } | null;
  readonly page: number | null;
  readonly text: string;
}

/** The location of a passage, as a person would cite it. */
export function citePassage(file: string, { headings, lines, page }: Passage): string {
  const path = [file, ...headings].join(" › ");
  if (page !== null) return `${path} (page ${page})`;
  if (!lines) return path;
  return lines.from === lines.to ? `${path} (line ${lines.from})` : `${path} (lines ${lines.from}–${lines.to})`;
}
