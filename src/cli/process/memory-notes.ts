import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BrokeDown } from "../../storage/tables/host.ts";

const nameOfNote = (worker: string): string => `out-of-memory-${worker.slice(worker.lastIndexOf(":") + 1)}.json`;
const noteName = /^out-of-memory-[\da-f-]+\.json$/;
/** The next process has read the note by then. */
const keptMs = 86_400_000;

/**
 * Makes Node write a report when this process runs out of memory, named after its worker. A killed process leaves none, so
 * the two can be told apart. There is no report if it would contain the environment, and with it secrets (the flag is set
 * in `process-memory.ts` and only takes effect at start-up), or if the operator has configured reports.
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
    // Names of network peers would need DNS lookups.
    excludeNetwork: true,
    reportOnFatalError: true,
  });
}

/** Tells from the notes in a folder whether a worker ran out of memory. */
export function readMemoryNotes(folder: string): BrokeDown {
  return (worker) => processStart(join(folder, nameOfNote(worker))).includes('"trigger":"OOMError"');
}

function processStart(file: string): string {
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
    // The folder does not exist yet or cannot be read.
  }
}
