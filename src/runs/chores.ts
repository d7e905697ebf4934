import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../contract/store.ts";

interface ChoreOptions {
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

export interface TidyOptions extends ChoreOptions {
  readonly store: Store;
  /** Runs are deleted so long after their end; null: never. What removed runs left behind is deleted in any case. */
  readonly keepMs: number | null;
  readonly everyMs?: number;
}

/** Rests between two steps of tidying, so that those who write in between do not wait. */
const betweenStepsMs = 20;

/** Deletes what is old or was removed, in short steps, until the signal says stop. */
export async function tidyStore({
  store,
  keepMs,
  signal,
  onError,
  now = Date.now,
  everyMs = 60_000,
}: TidyOptions): Promise<void> {
  while (!signal.aborted) {
    let more = false;
    try {
      more = await store.runs.tidy({ ended_before: keepMs === null ? null : now() - keepMs });
    } catch (error) {
      onError(error);
    }
    await rest(more ? betweenStepsMs : everyMs, signal);
  }
}

export interface BackupOptions extends ChoreOptions {
  /** Copies the store into a new file while it is in use. */
  readonly backup: (file: string) => Promise<void>;
  /** The file of a backup made at this time. One that exists is not written over. */
  readonly fileAt: (at: number) => string;
  readonly everyMs: number;
  /** Called with each file that was written, to remove older ones for instance. */
  readonly onBackup?: (file: string) => Promise<void>;
}

/** Backs the embedded store up again and again until the signal says stop, the first time after `everyMs`. */
export async function backUpStore({
  backup,
  fileAt,
  everyMs,
  signal,
  onError,
  onBackup = async () => {},
  now = Date.now,
}: BackupOptions): Promise<void> {
  for (;;) {
    await rest(everyMs, signal);
    if (signal.aborted) return;
    try {
      const file = fileAt(now());
      await backup(file);
      await onBackup(file);
    } catch (error) {
      onError(error);
    }
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
