import { readFile } from "node:fs/promises";
import { z } from "zod";
import { writePrivately } from "./key-file.ts";

const Times = z.record(z.string(), z.iso.datetime());

/** How often the times are written: often enough for "is this key still in use?", too seldom to cost anything. */
const writeEveryMs = 60_000;

/** A file of its own: the services never write the file of the keys, so they can never undo a revocation. */
const timesFileOf = (keyFile: string): string => keyFile.replace(/\.json$/, "-used.json");

/** When each key was last used, by id. Unreadable times are no reason to fail. */
export async function readLastUsed(keyFile: string): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map(Object.entries(Times.parse(JSON.parse(await readFile(timesFileOf(keyFile), "utf8")))));
  } catch {
    return new Map();
  }
}

/** Returns a function to be told of each use. Times are written about once a minute, and kept by whoever wrote them last. */
export function createLastUsed(keyFile: string): (id: string) => void {
  const fresh = new Map<string, string>();
  let written = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  async function write(): Promise<void> {
    written = performance.now();
    timer = null;
    const times = new Map(fresh);
    const all = { ...Object.fromEntries(await readLastUsed(keyFile)), ...Object.fromEntries(times) };
    await writePrivately(timesFileOf(keyFile), JSON.stringify(all));
    for (const [id, time] of times) if (fresh.get(id) === time) fresh.delete(id);
  }

  return (id) => {
    fresh.set(id, new Date().toISOString());
    // A full disk must not fail the request that only wanted to be noted.
    const waitMs = Math.max(0, written + writeEveryMs - performance.now());
    timer ??= setTimeout(() => void write().catch(() => {}), waitMs).unref();
  };
}
