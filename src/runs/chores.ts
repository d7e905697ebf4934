import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../contract/store.ts";
import type { BackupFolder } from "./backup-folder.ts";

interface ChoreOptions {
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

export interface TidyOptions extends ChoreOptions {
  readonly store: Store;
  /** Runs are deleted so long after their end; null: never. What removed runs left behind is deleted in any case. */
  readonly keepMs: number | null;
  /** Idempotency keys of ended runs are forgotten so long after the run was made. */
  readonly keepKeysMs: number;
  readonly everyMs?: number;
}

/** Rests between two steps of tidying, so that those who write in between do not wait. */
const betweenStepsMs = 20;

/** Deletes what is old or was removed, in short steps, until the signal says stop. */
export async function tidyStore({
  store,
  keepMs,
  keepKeysMs,
  signal,
  onError,
  now = Date.now,
  everyMs = 60_000,
}: TidyOptions): Promise<void> {
  while (!signal.aborted) {
    let more = false;
    try {
      more = await store.runs.tidy({
        ended_before: keepMs === null ? null : now() - keepMs,
        keys_before: now() - keepKeysMs,
      });
    } catch (error) {
      onError(error);
    }
    await rest(more ? betweenStepsMs : everyMs, signal);
  }
}

export interface BackupOptions extends ChoreOptions {
  /** Copies the store into a new file while it is in use. */
  readonly backup: (file: string) => Promise<void>;
  readonly folder: BackupFolder;
  /** A backup is made when the newest one, by whichever process, is so old. */
  readonly everyMs: number;
  readonly lookEveryMs?: number;
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
      const newest = await folder.newest();
      // One from the future was made before someone set the clock back: it says nothing about when the next one is due.
      if (newest === null || Math.abs(now() - newest) >= everyMs) {
        await backup(folder.fileAt(now()));
        await folder.prune();
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
