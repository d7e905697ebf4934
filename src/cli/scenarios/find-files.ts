import { glob, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { CliError } from "../cli-error.ts";

const scenarioFile = /\.(json|jsonl|ndjson|yaml|yml|csv|tsv)$/i;
const notScenarios =
  /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)|(^|[\\/])(rehearsal\.(yaml|yml|json)|package(-lock)?\.json)$/i;

/** The files behind what was typed: files as they are, folders with all scenario files below them, and patterns. In order, each once. */
export async function findFiles(patterns: readonly string[], folder = process.cwd()): Promise<string[]> {
  const found: string[] = [];
  for (const pattern of patterns) found.push(...(await filesFor(pattern, folder)));
  return [...new Set(found)];
}

async function filesFor(pattern: string, folder: string): Promise<string[]> {
  const kind = await kindOf(resolve(folder, pattern));
  if (kind === "file") return [pattern];
  const files = kind === "folder" ? await scenarioFilesIn(pattern, folder) : await matching(pattern, folder);
  if (files.length > 0) return files;
  throw new CliError(
    kind === "folder"
      ? `there is no scenario file in ${pattern} (JSON, JSONL, YAML, CSV or TSV)`
      : `${pattern} does not exist`,
  );
}

async function kindOf(path: string): Promise<"file" | "folder" | "pattern"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return "pattern";
  }
}

async function scenarioFilesIn(pattern: string, folder: string): Promise<string[]> {
  const files = await matching("**", resolve(folder, pattern));
  return files.filter((file) => scenarioFile.test(file) && !notScenarios.test(file)).map((file) => join(pattern, file));
}

async function matching(pattern: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of glob(pattern, { cwd: folder, withFileTypes: true })) {
    if (entry.isFile()) files.push(relative(folder, join(entry.parentPath, entry.name)));
  }
  return files.toSorted();
}
