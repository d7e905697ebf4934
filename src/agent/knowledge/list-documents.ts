import { opendir, realpath, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { documentTypes } from "./read-document.ts";

/** A file that may be searched. `version` changes when the file does. */
export interface DocumentFile {
  /** Below the folder, with forward slashes: what is cited. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly version: string;
}

/** A file that was left out, in whole or in part, and why. */
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
 * The documents below a folder. Links are followed to files inside it only; names that begin with a dot are ignored. Rejects
 * when the folder itself cannot be read; one below it is left out, such as the lost+found of a volume.
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
  return { files: eachOnce(root, byName), skipped };
}

/** A file and the links to it hold the same passages: it goes by its own name, or by the first where that is not listed. */
function eachOnce(root: string, files: readonly DocumentFile[]): readonly DocumentFile[] {
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
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return { name, reason: "it leads out of the folder" };
    const found = await stat(real);
    // Reading from a pipe would wait for somebody to write to it.
    if (!found.isFile()) return { name, reason: "it is not a file" };
    // Also changes with the rights to the file, and when its time is put back.
    const { size, ctimeMs, ino } = found;
    if (size > maxFileBytes) return { name, reason: `it is larger than ${maxFileBytes} bytes` };
    return { name, path: real, size, version: `${ctimeMs}-${size}-${ino}` };
  } catch {
    return unreadable(root, path);
  }
}
