import { accessSync, constants } from "node:fs";
import { mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "./cli-error.ts";

/** Writes a file whole or not at all: on a full disk what was there before stays, and no part is left to be taken for the whole. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const before = await stat(path).catch(() => null);
    if (!before) return await replaceFile(path, text);
    const target = await realpath(path);
    // A pipe is written to, and so is a file whose folder takes no other.
    if (before.isFile() && isWritable(dirname(target))) await replaceFile(target, text, before.mode);
    else await writeFile(target, text);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  try {
    await writeFile(part, text, { ...(mode !== undefined && { mode }) });
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
