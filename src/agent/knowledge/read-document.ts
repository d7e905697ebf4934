import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { decodeText } from "../text/decode-text.ts";
import { readHtml } from "../text/read-html.ts";
import type { Passage } from "./passage.ts";
import { splitMarkdown } from "./split-markdown.ts";

/** The kinds of file that can be searched. */
export const documentTypes: ReadonlySet<string> = new Set([
  ".md",
  ".markdown",
  ".txt",
  ".text",
  ".html",
  ".htm",
  ".pdf",
]);

/** Characters of one document that are searched; the rest is left out. */
const mostCharacters = 2_000_000;

export interface ReadDocument {
  readonly passages: readonly Passage[];
  /** What is left out of it, null when nothing is. */
  readonly missing: string | null;
}

/** The passages of one file. Rejects when it cannot be read as what its name says. */
export async function readDocument(path: string): Promise<ReadDocument> {
  const bytes = await readFile(path);
  const type = extname(path).toLowerCase();
  if (type === ".pdf") {
    const passages = await readPdf(bytes);
    return { passages, missing: passages.length === 0 ? "it holds no text, as a scan does" : null };
  }
  const whole = decode(bytes);
  const text = whole.slice(0, mostCharacters);
  return {
    passages: type === ".html" || type === ".htm" ? readPage(text) : splitMarkdown(text),
    missing: text === whole ? null : `only its first ${mostCharacters} characters are searched`,
  };
}

function readPage(html: string): readonly Passage[] {
  const { title, text } = readHtml(html);
  // Lines of the extracted text are not lines of the file, so none are cited.
  return splitMarkdown(text).map((passage) => ({
    ...passage,
    headings: title && passage.headings[0] !== title ? [title, ...passage.headings] : passage.headings,
    lines: null,
  }));
}

/** Loaded on demand: the library is large, and most folders hold no PDF. */
async function readPdf(bytes: Uint8Array): Promise<readonly Passage[]> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const { text: pages } = await extractText(document, { mergePages: false });
  return pages.flatMap((text, index) =>
    splitMarkdown(text).map((passage) => ({ ...passage, headings: [], lines: null, page: index + 1 })),
  );
}

function decode(bytes: Uint8Array): string {
  const text = decodeText(bytes);
  if (text.slice(0, 2000).includes("\0")) throw new Error("It is not a text file.");
  return text;
}
