import { Worker } from "node:worker_threads";
import { threadFile } from "../../../base/thread-file.ts";
import type { ScenarioImportRequest } from "../../../formats/import-scenarios.ts";
import { createGuardedThread, ThreadOverrun } from "../../../runs/threads/guarded-thread.ts";
import type { ScenarioRules } from "../../../runs/plan/batch-problems.ts";
import type { FileAnswer } from "./scenario-file-thread.ts";

const file = threadFile("scenario-file-thread", import.meta.url);

interface FileReaderOptions {
  readonly longestMs?: number;
  /** The wall-clock limit as a multiple of the CPU limit. */
  readonly patience?: number;
  readonly mostMegabytes?: number;
}

/** Reads one file, or returns the `problem` that prevents it. Owners take turns. */
export type ReadScenarioFile = (request: ScenarioImportRequest, owner?: string | null) => Promise<FileAnswer>;

/**
 * Reads uploaded files in a thread, so that the service stays responsive: YAML is a hundred times slower than JSON, and a
 * hostile file may take hours.
 */
export function createScenarioFileReader(
  rules: Omit<ScenarioRules, "patient">,
  { longestMs = 20_000, patience, mostMegabytes = 512 }: FileReaderOptions = {},
): ReadScenarioFile {
  const thread = createGuardedThread<ScenarioImportRequest, FileAnswer>({
    start: (resourceLimits) => new Worker(file, { workerData: rules, resourceLimits }),
    longestMs,
    patience,
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
    : `needs too much memory to read; ${advice}`;
}
