import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { decodeText } from "../text/decode-text.ts";
import { readHtml } from "../text/read-html.ts";
import type { DocumentPassages } from "./document-passages.ts";
import type { Passage } from "./passage.ts";
import type { ReadPdf } from "./read-pdf.ts";
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

/** The passages of one file. Rejects when it cannot be read as what its name says. */
export async function readDocument(path: string, { readPdf }: { readPdf: ReadPdf }): Promise<DocumentPassages> {
  const bytes = await readFile(path);
  const type = extname(path).toLowerCase();
  if (type === ".pdf") return readPdf(bytes, mostCharacters);
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

function decode(bytes: Uint8Array): string {
  const text = decodeText(bytes);
  if (text.slice(0, 2000).includes("\0")) throw new Error("It is not a text file.");
  return text;
}
