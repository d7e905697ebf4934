import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../cli-error.ts";

/** Writes files that are not there yet. What is there is somebody's work and stays as it is. */
export async function writeNewFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<{ written: string[]; kept: string[] }> {
  const written: string[] = [];
  const kept: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: "wx" });
      written.push(path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
        throw new CliError(`${path} cannot be written: ${(cause as Error).message}`, undefined, { cause });
      }
      kept.push(path);
    }
  }
  return { written, kept };
}
