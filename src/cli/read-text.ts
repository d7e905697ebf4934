import { readFile } from "node:fs/promises";
import { decodeUtf8 } from "../formats/documents/decode-text.ts";
import { CliError } from "./cli-error.ts";

/** The text of a file that was named. A byte order mark is no part of it: in a prompt it would be sent to the model. */
export async function readText(path: string, named = path): Promise<string> {
  try {
    return decodeUtf8(await readFile(path));
  } catch (cause) {
    throw cannotRead(named, cause);
  }
}

/** What stands for standard input where a file is named. */
export const standardInput = "-";

/** All that comes in through standard input, or what is in the file of that name. */
export async function readBytes(path: string, named = path): Promise<Buffer> {
  try {
    return named === standardInput ? Buffer.concat(await Array.fromAsync(process.stdin)) : await readFile(path);
  } catch (cause) {
    throw cannotRead(named, cause);
  }
}

export function cannotRead(file: string, cause: unknown): CliError {
  return new CliError(`${file} ${whyUnread(cause)}`, undefined, { cause });
}

/** Told with what the system says, such as EACCES, or what is wrong with the text. */
export function whyUnread(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT") return "does not exist";
  return `cannot be read (${code === "EISDIR" ? "it is a folder" : (code ?? message)})`;
}
