import { setTimeout as sleep } from "node:timers/promises";
import type { BackupFolder } from "./backup-folder.ts";

interface ChoreOptions {
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

interface TidyOptions extends ChoreOptions {
  /** One short step of deleting. True when there is more to do. */
  readonly tidy: () => Promise<boolean>;
  readonly everyMs?: number;
}

/** Rests between two steps of tidying, so that those who write in between do not wait. */
const betweenStepsMs = 20;

/** Tidies again and again, in short steps, until the signal says stop. */
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
  /** A backup is made when the newest one, by whichever process, is so old. */
  readonly everyMs: number;
  readonly lookEveryMs?: number;
  readonly now?: () => number;
}

/** Keeps backups of the embedded store up to date until the signal says stop. */
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
        // What killed processes left of theirs may be what fills the disk.
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
