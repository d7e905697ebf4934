import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { StoredKey } from "../../../contract/ports/api-keys.ts";
import { scopes } from "../../../contract/operations/operation.ts";
import { isKeyName } from "../../../settings/api-keys.ts";
import { lockFile } from "../../../storage/drivers/sqlite-lock.ts";
import { describeFileProblem } from "../../../storage/drivers/sqlite-error.ts";
import { StoreFileError } from "../../../storage/tables/database.ts";

const KeyRecord = z.object({
  id: z.string().regex(/^[0-9A-Za-z]{8}$/),
  owner: z.string().refine(isKeyName),
  scopes: z.array(z.enum(scopes)).min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});

const KeyFile = z.object({ version: z.literal(1), keys: z.array(KeyRecord) });

const privateMode = 0o600;

/** The keys in the file; none when there is no file. Rejects with a `StoreFileError` when the file is damaged or unreadable. */
export async function readKeyFile(file: string): Promise<readonly StoredKey[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw unusable(file, "read", error);
  });
  return text === null ? [] : parseKeys(file, text);
}

function parseKeys(file: string, text: string): readonly StoredKey[] {
  try {
    return KeyFile.parse(JSON.parse(text)).keys;
  } catch (cause) {
    throw new StoreFileError(`${file} is damaged. Restore it, or move it away and create new keys.`, { cause });
  }
}

/** Changes the keys under a lock. Readers see the file before or after the change, never in between. */
export async function changeKeyFile(
  file: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<void> {
  try {
    // As private as the services make it: the first key may be what creates the data folder.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    using _lock = await lockFile(`${file}.lock`);
    const keys = change(await readKeyFile(file));
    await writePrivately(file, JSON.stringify({ version: 1, keys }, null, 2));
  } catch (error) {
    throw error instanceof StoreFileError ? error : unusable(file, "written", error as NodeJS.ErrnoException);
  }
}

function unusable(file: string, done: "read" | "written", cause: NodeJS.ErrnoException): StoreFileError {
  const why = describeFileProblem(cause) ?? cause.code ?? cause.message;
  return new StoreFileError(`The keys in ${file} cannot be ${done} (${why}).`, { cause });
}

/** Writes a temporary file and renames it; only the owner can read it from the first byte on. */
export async function writePrivately(file: string, text: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await writeFile(aside, `${text}\n`, { mode: privateMode, flag: "wx", flush: true });
    await chmod(aside, privateMode);
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
