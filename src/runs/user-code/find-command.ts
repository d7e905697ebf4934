import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of a command. It is found here, because the environment of the code has no PATH. */
export function findCommand(command: string): string | null {
  if (/[\\/]/.test(command)) return existsSync(command) ? command : null;
  const endings = process.platform === "win32" ? [".exe", ""] : [""];
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, command + ending)));
  return paths.find((path) => existsSync(path)) ?? null;
}

export const notFound = (python: string): string =>
  `${python} was not found: set REHEARSAL_PYTHON to the path of your Python`;
