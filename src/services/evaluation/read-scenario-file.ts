import { Worker } from "node:worker_threads";
import { threadFile } from "../../base/thread-file.ts";
import type { ScenarioImportRequest } from "../../formats/import-scenarios.ts";
import { createGuardedThread, ThreadOverrun } from "../../runs/guarded-thread.ts";
import type { ScenarioRules } from "../../runs/scenario-problems.ts";
import type { FileAnswer } from "./scenario-file-thread.ts";

const file = threadFile("scenario-file-thread", import.meta.url);

interface FileReaderOptions {
  readonly longestMs?: number;
  readonly mostMegabytes?: number;
}

/** Reads one file; a file that cannot be read has a `problem`. Those of several owners are read in turn. */
export type ReadScenarioFile = (request: ScenarioImportRequest, owner?: string | null) => Promise<FileAnswer>;

/**
 * Reads files of others in a thread: some take seconds (YAML is a hundred times slower than JSON), and whoever wrote one may have
 * meant it to take hours. Meanwhile the service answers everybody else.
 */
export function createFileReader(
  rules: Omit<ScenarioRules, "patient">,
  { longestMs = 20_000, mostMegabytes = 512 }: FileReaderOptions = {},
): ReadScenarioFile {
  const thread = createGuardedThread<ScenarioImportRequest, FileAnswer>({
    start: (resourceLimits) => new Worker(file, { workerData: rules, resourceLimits }),
    longestMs,
    mostMegabytes,
  });
  return (request, owner) =>
    thread.ask(request, { asker: owner }).catch((error: unknown) => {
      if (error instanceof ThreadOverrun) return { problem: problemOf(error, longestMs) };
      throw error;
    });
}

const advice = "JSON and JSON lines are read fastest, and `rehearsal import` has no such limit";

function problemOf({ of }: ThreadOverrun, longestMs: number): string {
  return of === "time"
    ? `takes more than ${longestMs / 1_000} seconds to read; ${advice}`
    : `takes more memory to read than there is for it; ${advice}`;
}
