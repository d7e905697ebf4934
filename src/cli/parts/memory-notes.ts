import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RanOutOfMemory } from "../../storage/host.ts";

const nameOfNote = (worker: string): string => `out-of-memory-${worker.slice(worker.lastIndexOf(":") + 1)}.json`;
const noteName = /^out-of-memory-[\da-f-]+\.json$/;
/** Whoever comes next has read it by then. */
const keptMs = 86_400_000;

/**
 * A process that runs out of memory can do nothing more itself: Node writes a report for it, named after its worker. One that is killed
 * leaves none, so the two can be told apart. None is left where the report would hold the environment, and with it secrets, which is said
 * when a process starts and never later (`start-lean.ts`), nor where the operator has reports of his own written.
 */
export function leaveMemoryNote(
  { folder, worker }: { readonly folder: string; readonly worker: string },
  { report }: Pick<NodeJS.Process, "report"> = process,
): void {
  if (!report.excludeEnv) return;
  if (report.reportOnFatalError || report.reportOnSignal || report.reportOnUncaughtException) return;
  removeOldNotes(folder);
  Object.assign(report, {
    directory: resolve(folder),
    filename: nameOfNote(worker),
    compact: true,
    // Their names would have to be asked for.
    excludeNetwork: true,
    reportOnFatalError: true,
  });
}

export function readMemoryNotes(folder: string): RanOutOfMemory {
  return (worker) => beginningOf(join(folder, nameOfNote(worker))).includes('"trigger":"OOMError"');
}

function beginningOf(file: string): string {
  try {
    const descriptor = openSync(file, "r");
    try {
      const beginning = Buffer.alloc(1_024);
      return beginning.toString("latin1", 0, readSync(descriptor, beginning));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

function removeOldNotes(folder: string): void {
  try {
    for (const name of readdirSync(folder).filter((found) => noteName.test(found))) {
      if (Date.now() - statSync(join(folder, name)).mtimeMs > keptMs) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // There is no folder yet, or none that may be read.
  }
}
