import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * A folder of backups that are named by their time. Files of other names in it are left alone. Those from the future were made
 * before someone set the clock back: they are older than all others.
 */
export interface BackupFolder {
  fileAt(at: number): string;
  /** When the newest one was made, in milliseconds since 1970; null when there is none, or none but from the future. */
  newest(now: number): Promise<number | null>;
  /** Deletes all but the newest, and what backups left behind that never came to their end. */
  prune(now: number): Promise<void>;
}

const backupName = /^rehearsal-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
const partialName = /^rehearsal-\d{8}T\d{6}Z\.db\.[\da-f-]+\.partial(-journal)?$/;
/** A copy that has not grown for so long belongs to a process that is gone. */
const abandonedMs = 3_600_000;

const nameAt = (at: number): string => `rehearsal-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, "")}.db`;

export async function openBackupFolder(path: string, { keep }: { keep: number }): Promise<BackupFolder> {
  // As private as the data folder: a backup holds everything the store does.
  await mkdir(path, { recursive: true, mode: 0o700 });

  /** Their names, the oldest first. */
  async function backups(now: number): Promise<{ future: string[]; past: string[] }> {
    const names = (await readdir(path)).filter((name) => backupName.test(name)).sort();
    const isPast = (name: string): boolean => name <= nameAt(now);
    return { future: names.filter((name) => !isPast(name)), past: names.filter(isPast) };
  }

  return {
    fileAt: (at) => join(path, nameAt(at)),
    async newest(now) {
      const last = (await backups(now)).past.at(-1);
      const [, ...parts] = backupName.exec(last ?? "") ?? [];
      const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
      return last === undefined ? null : Date.UTC(year, month - 1, day, hour, minute, second);
    },
    async prune(now) {
      const { future, past } = await backups(now);
      const old = [...future, ...past].slice(0, -keep);
      const partials = (await readdir(path)).filter((name) => partialName.test(name));
      for (const name of old) await rm(join(path, name), { force: true });
      for (const name of partials) {
        const found = await stat(join(path, name)).catch(() => null);
        if (found && Date.now() - found.mtimeMs > abandonedMs) await rm(join(path, name), { force: true });
      }
    },
  };
}
