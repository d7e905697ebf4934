import { compact } from "../../base/compact.ts";
import { accessSync, constants } from "node:fs";
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeUtf8 } from "../../formats/documents/decode-text.ts";
import { CliError } from "./cli-error.ts";

/** Reads a text file without its byte order mark, which in a prompt would be sent to the model. `named` is used in errors. */
export async function readTextFile(path: string, named = path): Promise<string> {
  try {
    return decodeUtf8(await readFile(path));
  } catch (cause) {
    throw cannotRead(named, cause);
  }
}

/** Names standard input in place of a file. */
export const standardInput = "-";

/** Reads a file, or standard input when `named` is `-`. */
export async function readBytes(path: string, named = path): Promise<Buffer> {
  try {
    return named === standardInput ? Buffer.concat(await Array.fromAsync(process.stdin)) : await readFile(path);
  } catch (cause) {
    throw cannotRead(named, cause);
  }
}

export function cannotRead(file: string, cause: unknown): CliError {
  return new CliError(`${file} ${readFailure(cause)}`, undefined, { cause });
}

/** Why a file could not be read: the system's code, such as EACCES, or the decoder's message. */
export function readFailure(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT") return "does not exist";
  return `cannot be read (${code === "EISDIR" ? "it is a folder" : (code ?? message)})`;
}

/**
 * Refuses to replace a file unless that was asked for. Commands call it before they start, so that no work is lost; pipes and devices
 * may always be written to.
 */
export async function refuseOverwrite(path: string | undefined, { force = false }: { force?: boolean }): Promise<void> {
  if (path === undefined || force) return;
  const existing = await stat(path).catch(() => null);
  if (existing?.isFile()) throw new CliError(`${path} exists: use --force to replace it, or name another file`);
}

/** Writes a file atomically: when the disk is full, the old file stays and no partial one is left. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const before = await stat(path).catch(() => null);
    if (!before) return await replaceFile(path, text);
    const target = await realpath(path);
    // Pipes, and files in a read-only folder, are written in place.
    if (before.isFile() && isWritable(dirname(target))) await replaceFile(target, text, before.mode);
    else await writeFile(target, text);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  try {
    await writeFile(part, text, compact({ mode }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export function cannotWrite(path: string, cause: unknown): CliError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new CliError(`${path} cannot be written: ${code === "EISDIR" ? "it is a folder" : message}`, undefined, {
    cause,
  });
}

/** True for the path of a results file (`-o results.json`), as opposed to a run's id or name. */
export const isResultsFile = (text: string): boolean => /[\\/]|\.json$/i.test(text);

/** The position of a run among those of one command, from 1. */
export interface ResultsPlace {
  readonly number: number;
  readonly of: number;
}

/** The output file of one run; with several runs, its name contains the run's number. */
export const outputFile = (file: string, run: ResultsPlace): string =>
  run.of < 2 ? file : file.replace(/(\.[a-z]+)$/i, `-${run.number}$1`);

/** All output files of this many runs. */
export function outputFiles(outputs: readonly string[], runs: number): string[] {
  const numbers = Array.from({ length: Math.max(runs, 1) }, (_, index) => index + 1);
  return outputs.flatMap((file) => numbers.map((number) => outputFile(file, { number, of: runs })));
}
