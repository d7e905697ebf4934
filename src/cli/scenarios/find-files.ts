import type { Dirent } from "node:fs";
import { glob, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { closestName } from "../../base/text.ts";
import { CliError } from "../cli-error.ts";
import { configError } from "../config/config-error.ts";
import { cannotRead, standardInput } from "../read-text.ts";
import { note } from "../terminal/output.ts";

const scenarioFile = /\.(json|jsonl|ndjson|yaml|yml|csv|tsv)$/i;
/** What `init` and npm write beside them. */
const notScenarios = /^(rehearsal\.(yaml|yml|json|schema\.json)|package(-lock)?\.json|tsconfig\.json)$/i;
const passedOver = /^(node_modules|\..+)$/i;

export interface FindOptions {
  readonly folder?: string | undefined;
  /** Files that are meant only where they are named: those that an evaluation needs for itself. */
  readonly except?: readonly string[] | undefined;
  /** The configuration that names them, where they were not typed. */
  readonly namedIn?: string | undefined;
}

/** The files behind what was typed: files and standard input as they are, folders with all scenario files below them, and patterns. In order, each once. */
export async function findFiles(
  patterns: readonly string[],
  { folder = process.cwd(), except = [], namedIn }: FindOptions = {},
): Promise<string[]> {
  const found = new Map<string, string>();
  const left = new Set(except.map((file) => resolve(file)));
  for (const pattern of patterns) {
    const files = await filesFor(pattern, { folder, left }).catch((error: unknown) => {
      if (namedIn === undefined || !(error instanceof CliError)) throw error;
      throw configError({ file: namedIn }, `/scenarios: ${error.message}`, error);
    });
    for (const file of files) {
      // By whatever name: a link and the file it stands for are one.
      const path = resolve(folder, file);
      const real = await realpath(path).catch(() => path);
      if (!found.has(real)) found.set(real, file);
    }
  }
  return [...found.values()];
}

async function filesFor(
  pattern: string,
  { folder, left }: { folder: string; left: ReadonlySet<string> },
): Promise<string[]> {
  if (pattern === standardInput) return [pattern];
  // An unset variable in a script must not stand for the whole folder.
  if (pattern.trim() === "") throw new CliError('"" names no scenarios: give files or a folder, such as .');
  const kind = await kindOf(pattern, folder);
  if (kind === "file") return [pattern];
  const all = kind === "folder" ? await scenarioFilesIn(pattern, folder) : await matching(pattern, folder);
  const files = all.filter((file) => !left.has(resolve(folder, file)));
  if (files.length > 0) return files.toSorted();
  if (kind === "folder") throw new CliError(`there is no scenario file in ${pattern} (JSON, JSONL, YAML, CSV or TSV)`);
  if (/[*?[{]/.test(pattern)) throw new CliError(`no file matches ${pattern}`);
  throw new CliError(`${pattern} does not exist${await meantFile(pattern, folder)}`);
}

/** A slip in a name, most often .yml for .yaml: what is beside it is named. */
async function meantFile(path: string, folder: string): Promise<string> {
  const names = await readdir(resolve(folder, dirname(path))).catch(() => []);
  const near = closestName(basename(path), names);
  return near === undefined ? "" : `: did you mean ${join(dirname(path), near)}?`;
}

async function kindOf(pattern: string, folder: string): Promise<"file" | "folder" | "pattern"> {
  try {
    return (await stat(resolve(folder, pattern))).isDirectory() ? "folder" : "file";
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EACCES") throw cannotRead(pattern, cause);
    return "pattern";
  }
}

async function scenarioFilesIn(place: string, folder: string): Promise<string[]> {
  const entries = await readdir(resolve(folder, place), { withFileTypes: true }).catch((cause: unknown) => {
    throw cannotRead(place, cause);
  });
  const files: string[] = [];
  for (const entry of entries.filter(({ name }) => !passedOver.test(name))) {
    const path = join(place, entry.name);
    if (entry.isDirectory()) files.push(...(await scenarioFilesBelow(path, folder)));
    else if (scenarioFile.test(entry.name) && !notScenarios.test(entry.name) && (await isFile(entry))) files.push(path);
  }
  return files;
}

/** What nobody named may be anything, such as the data of a database: it is told of and left out. */
async function scenarioFilesBelow(place: string, folder: string): Promise<string[]> {
  try {
    return await scenarioFilesIn(place, folder);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    note(`${error.message}; it is left out`);
    return [];
  }
}

async function matching(pattern: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of glob(pattern, { cwd: folder, withFileTypes: true })) {
    if (await isFile(entry)) files.push(relative(folder, join(entry.parentPath, entry.name)));
  }
  return files;
}

/** A link counts as what it leads to; one to a folder is not followed, since it may lead back. */
async function isFile(entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const target = await stat(join(entry.parentPath, entry.name)).catch(() => null);
  return target?.isFile() ?? false;
}
