import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

interface ChoreOptions {
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

interface TidyOptions extends ChoreOptions {
  /** One short deletion step. True when there is more to delete. */
  readonly tidy: () => Promise<boolean>;
  readonly everyMs?: number;
}

/** A pause between two steps, so that writers do not have to wait. */
const betweenStepsMs = 20;

/** Deletes expired data in short steps until the signal aborts. */
export async function tidyInSteps({ tidy, signal, onError, everyMs = 60_000 }: TidyOptions): Promise<void> {
  while (!signal.aborted) {
    let more = false;
    try {
      more = await tidy();
    } catch (error) {
      onError(error);
    }
    await rest(more ? betweenStepsMs : everyMs, signal);
  }
}

interface BackupOptions extends ChoreOptions {
  /** Copies the store into a new file while it is in use. */
  readonly backup: (file: string) => Promise<void>;
  readonly folder: BackupFolder;
  /** The greatest age of the newest backup, by any process. */
  readonly everyMs: number;
  readonly lookEveryMs?: number;
  readonly now?: () => number;
}

/** Keeps backups of the embedded store up to date until the signal aborts. */
export async function backUpStore({
  backup,
  folder,
  everyMs,
  signal,
  onError,
  now = Date.now,
  lookEveryMs = 60_000,
}: BackupOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      const newest = await folder.newest(now());
      if (newest === null || now() - newest >= everyMs) {
        // Partial files of killed processes may be what fills the disk.
        await folder.prune(now());
        await backup(folder.fileAt(now()));
        await folder.prune(now());
      }
    } catch (error) {
      onError(error);
    }
    await rest(lookEveryMs, signal);
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}

/**
 * A folder of backups named by their time. Other files are left alone. Backups from the future were made before the clock was
 * set back and count as the oldest.
 */
export interface BackupFolder {
  fileAt(at: number): string;
  /** The time of the newest backup in milliseconds since 1970; null without backups before `now`. */
  newest(now: number): Promise<number | null>;
  /** Deletes all but the newest backups, and abandoned partial files. */
  prune(now: number): Promise<void>;
}

const backupName = /^rehearsal-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
const partialName = /^rehearsal-\d{8}T\d{6}Z\.db\.[\da-f-]+\.partial(-journal)?$/;
/** A partial file that has not grown for this long belongs to a process that has ended. */
const abandonedMs = 3_600_000;

const nameAt = (at: number): string => `rehearsal-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, "")}.db`;

export async function openBackupFolder(path: string, { keep }: { keep: number }): Promise<BackupFolder> {
  // As private as the data folder: a backup holds everything the store does.
  await mkdir(path, { recursive: true, mode: 0o700 });

  /** File names, oldest first. */
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
