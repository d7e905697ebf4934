import { parentPort, workerData } from "node:worker_threads";
import { FormatError } from "../../formats/format-error.ts";
import { importScenarios, type ImportRequest } from "../../formats/import-scenarios.ts";
import type { ImportResult } from "../../formats/scenario-file.ts";

/** What a thread says of the one file it was started for. */
export type FileAnswer = { readonly result: ImportResult } | { readonly problem: string };

parentPort?.postMessage(read(workerData as ImportRequest));

function read(request: ImportRequest): FileAnswer {
  try {
    return { result: importScenarios(request) };
  } catch (error) {
    if (error instanceof FormatError) return { problem: error.message };
    throw error;
  }
}
