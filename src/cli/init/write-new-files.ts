import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cannotWrite } from "../write-whole-file.ts";

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
      await writeNewFile(path, text);
      written.push(path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(path, cause);
      kept.push(path);
    }
  }
  return { written, kept };
}

/** Whole or not at all: a part that is left, as on a full disk, would be kept by the next `init` as somebody's work. */
async function writeNewFile(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx");
  try {
    await file.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
