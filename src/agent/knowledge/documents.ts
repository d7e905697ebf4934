import { opendir, readFile, realpath, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { decodeText } from "../text/body-text.ts";
import { readHtml } from "../text/read-html.ts";
import { splitMarkdown, type Passage } from "./passages.ts";
import type { DocumentPassages, ReadPdf } from "./read-pdf.ts";

/** A file that may be searched. `version` changes when the file does. */
export interface DocumentFile {
  /** The path below the folder, with forward slashes, used in citations. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly version: string;
}

/** A file that is not searched, or only in part, with the reason. */
export interface SkippedFile {
  readonly name: string;
  readonly reason: string;
}

interface DocumentList {
  readonly files: readonly DocumentFile[];
  readonly skipped: readonly SkippedFile[];
}

export interface ListLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

const deepest = 12;

/**
 * Lists the documents below a folder. Links are followed only to files inside it; names that begin with a dot are ignored. Rejects when
 * the folder itself cannot be read; an unreadable folder inside it, such as lost+found, is skipped.
 */
export async function listDocuments(folder: string, limits: ListLimits): Promise<DocumentList> {
  const root = await realpath(folder);
  const files: DocumentFile[] = [];
  const skipped: SkippedFile[] = [];

  const visit = async (directory: string, depth: number): Promise<void> => {
    for await (const entry of await opendir(directory)) {
      if (files.length >= limits.maxFiles) return;
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        if (depth < deepest) await visit(path, depth + 1).catch(() => skipped.push(unreadable(root, path)));
      } else if (documentTypes.has(extname(entry.name).toLowerCase())) {
        const found = await inspect(root, path, limits);
        if ("reason" in found) skipped.push(found);
        else files.push(found);
      }
    }
  };
  await visit(root, 0);
  if (files.length >= limits.maxFiles)
    skipped.push({ name: ".", reason: `only ${limits.maxFiles} files are searched` });
  const byName = files.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return { files: withoutLinkedCopies(root, byName), skipped };
}

/** Lists a file with links to it once: under its own name, or under the first link if that is not listed. */
function withoutLinkedCopies(root: string, files: readonly DocumentFile[]): readonly DocumentFile[] {
  const names = new Map<string, string>();
  for (const { name, path } of files) {
    if (!names.has(path) || name === nameBelow(root, path)) names.set(path, name);
  }
  return files.filter(({ name, path }) => names.get(path) === name);
}

const nameBelow = (root: string, path: string) => relative(root, path).split(sep).join("/");
const unreadable = (root: string, path: string): SkippedFile => ({
  name: nameBelow(root, path),
  reason: "it cannot be read",
});

async function inspect(root: string, path: string, { maxFileBytes }: ListLimits): Promise<DocumentFile | SkippedFile> {
  const name = nameBelow(root, path);
  try {
    const real = await realpath(path);
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
      return { name, reason: "it links to a file outside the folder" };
    const found = await stat(real);
    // Reading from a pipe would block.
    if (!found.isFile()) return { name, reason: "it is not a file" };
    // `ctime` also changes with permissions, and when the modification time is set back.
    const { size, ctimeMs, ino } = found;
    if (size > maxFileBytes) return { name, reason: `it is larger than ${maxFileBytes} bytes` };
    return { name, path: real, size, version: `${ctimeMs}-${size}-${ino}` };
  } catch {
    return unreadable(root, path);
  }
}

/** The extensions of files that can be searched. */
const documentTypes: ReadonlySet<string> = new Set([".md", ".markdown", ".txt", ".text", ".html", ".htm", ".pdf"]);

/** Only the first characters of a document are searched. */
const mostCharacters = 2_000_000;

/** The passages of one file. Rejects when its content does not fit its extension. */
export async function readPassages(path: string, { readPdf }: { readPdf: ReadPdf }): Promise<DocumentPassages> {
  const bytes = await readFile(path);
  const type = extname(path).toLowerCase();
  if (type === ".pdf") return readPdf(bytes, mostCharacters);
  const whole = decodeDocument(bytes);
  const text = whole.slice(0, mostCharacters);
  return {
    passages: type === ".html" || type === ".htm" ? readPage(text) : splitMarkdown(text),
    missing: text === whole ? null : `only its first ${mostCharacters} characters are searched`,
  };
}

function readPage(html: string): readonly Passage[] {
  const { title, text } = readHtml(html);
  // Lines of the extracted text are not lines of the file and cannot be cited.
  return splitMarkdown(text).map((passage) => ({
    ...passage,
    headings: title && passage.headings[0] !== title ? [title, ...passage.headings] : passage.headings,
    lines: null,
  }));
}

function decodeDocument(bytes: Uint8Array): string {
  const text = decodeText(bytes);
  if (text.slice(0, 2000).includes("\0")) throw new Error("It is not a text file.");
  return text;
}
