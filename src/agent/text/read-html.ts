import { Parser } from "htmlparser2";
import { createTextWriter, type TextWriter } from "./text-writer.ts";

interface ReadPage {
  readonly title: string | null;
  /** Headings as `#` lines, lists as `-` lines, links as `[text](address)`. */
  readonly text: string;
}

/** What a person would read on a page. Scripts, styles, navigation and hidden parts are left out. */
export function readHtml(html: string, { url }: { url?: string | undefined } = {}): ReadPage {
  const writer = createTextWriter();
  const reader = createReader(writer, { url, stop: () => parser.pause() });
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

/** The parser's time grows with the square of the depth; no page that people read comes near this. */
const deepest = 5000;

function createReader(writer: TextWriter, { url, stop }: { url: string | undefined; stop: () => void }) {
  let base = url;
  let depth = 0;
  /** The depth of the outermost element that is being left out; 0 when none is. */
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

/** Text a reader never sees is where pages hide orders for models. */
function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if ("hidden" in attributes || attributes["aria-hidden"] === "true") return true;
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes["style"] ?? "");
}

const longestAddress = 500;

/** Web addresses only, so that a `javascript:` link stays plain text. */
function resolve(address: string | undefined, base: string | undefined): string | null {
  if (!address || address.startsWith("#")) return null;
  const parsed = URL.parse(address, base);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.href.length > longestAddress) return null;
  return parsed.href;
}
