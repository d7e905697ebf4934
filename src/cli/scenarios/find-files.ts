import type { Dirent } from "node:fs";
import { glob, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { closestName } from "../../base/text.ts";
import { promptfooCodeText } from "../../formats/documents/decode-text.ts";
import { CliError, configError } from "../terminal/cli-error.ts";
import type { Config } from "../config/config.ts";
import { cannotRead, standardInput, outputFiles } from "../terminal/files.ts";
import { note } from "../terminal/output.ts";

export interface FindOptions {
  readonly folder?: string | undefined;
  /** Files to skip unless they are named: the evaluation's own configuration, baseline and results. */
  readonly except?: readonly string[] | undefined;
  /** The configuration file that names the patterns; undefined when they are arguments. */
  readonly namedIn?: string | undefined;
}

/** The scenario files of the given files, folders and patterns, in order and without duplicates. */
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
      // A link and its target are one file.
      const path = resolve(folder, file);
      const real = await realpath(path).catch(() => path);
      if (!found.has(real)) found.set(real, file);
    }
  }
  return [...found.values()];
}

interface OwnFiles {
  readonly file?: string | undefined;
  readonly config: Pick<Config, "baseline" | "output" | "model">;
}

/** The evaluation's own files, which are not scenarios even if they are in the same folder: configuration, baseline, results. */
export function ownFiles({ file, config: { baseline, output = [], model = [] } }: OwnFiles): string[] {
  return [file ?? [], baseline ?? [], outputFiles(output, [model].flat().length)].flat();
}

const scenarioFile = /\.(json|jsonl|ndjson|yaml|yml|csv|tsv)$/i;
/** Files that `init` and npm write next to scenarios. */
const notScenarios = /^(rehearsal\.(yaml|yml|json|schema\.json)|package(-lock)?\.json|tsconfig\.json)$/i;
const skippedNames = /^(node_modules|\..+)$/i;

async function filesFor(
  pattern: string,
  { folder, left }: { folder: string; left: ReadonlySet<string> },
): Promise<string[]> {
  if (pattern === standardInput) return [pattern];
  // An unset variable in a script must not mean the whole folder.
  if (pattern.trim() === "") throw new CliError('"" names no scenarios: give files or a folder, such as .');
  const kind = await fileKind(pattern, folder);
  if (kind === "file") return [pattern];
  const all = kind === "folder" ? await scenarioFilesIn(pattern, folder) : await matchingFiles(pattern, folder);
  const files = all.filter((file) => !left.has(resolve(folder, file)));
  if (files.length > 0) return files.toSorted();
  if (kind === "folder") throw new CliError(await emptyFolder(pattern, folder));
  if (/[*?[{]/.test(pattern)) throw new CliError(`no file matches ${pattern}`);
  throw new CliError(`${pattern} does not exist${await similarFile(pattern, folder)}`);
}

/** A folder with a promptfoo configuration in code is not empty for its owner. */
async function emptyFolder(place: string, folder: string): Promise<string> {
  const names = await readdir(resolve(folder, place)).catch(() => []);
  const code = names.find((name) => /^promptfooconfig\.[cm]?[jt]s$/.test(name));
  const nothing = `there is no scenario file in ${place} (JSON, JSONL, YAML, CSV or TSV)`;
  return code === undefined ? nothing : `${join(place, code)}: ${promptfooCodeText(code)}`;
}

/** Suggests a file with a similar name, such as .yml for .yaml. */
async function similarFile(path: string, folder: string): Promise<string> {
  const names = await readdir(resolve(folder, dirname(path))).catch(() => []);
  const near = closestName(basename(path), names);
  return near === undefined ? "" : `: did you mean ${join(dirname(path), near)}?`;
}

async function fileKind(pattern: string, folder: string): Promise<"file" | "folder" | "pattern"> {
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
  for (const entry of entries.filter(({ name }) => !skippedNames.test(name))) {
    const path = join(place, entry.name);
    if (entry.isDirectory()) files.push(...(await scenarioFilesBelow(path, folder)));
    else if (scenarioFile.test(entry.name) && !notScenarios.test(entry.name) && (await isFile(entry))) files.push(path);
  }
  return files;
}

/** Skips an unreadable subfolder with a note: it was not named and may be anything, such as a database's data. */
async function scenarioFilesBelow(place: string, folder: string): Promise<string[]> {
  try {
    return await scenarioFilesIn(place, folder);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    note(`${error.message}; it is skipped`);
    return [];
  }
}

async function matchingFiles(pattern: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of glob(pattern, { cwd: folder, withFileTypes: true })) {
    if (await isFile(entry)) files.push(relative(folder, join(entry.parentPath, entry.name)));
  }
  return files;
}

/** A link to a file counts as a file. Links to folders are not followed, since they may form a cycle. */
async function isFile(entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const target = await stat(join(entry.parentPath, entry.name)).catch(() => null);
  return target?.isFile() ?? false;
}
