import { parentPort } from "node:worker_threads";
import { FormatError } from "../../formats/format-error.ts";
import { importScenarios, type ImportRequest } from "../../formats/import-scenarios.ts";
import type { ImportResult } from "../../formats/scenario-file.ts";

/** What the thread says of a file. Before the first one it says that it is there. */
export type FileAnswer = { readonly result: ImportResult } | { readonly problem: string };

parentPort?.on("message", (request: ImportRequest) => parentPort?.postMessage(read(request)));

function read(request: ImportRequest): FileAnswer {
  try {
    return { result: importScenarios(request) };
  } catch (error) {
    if (error instanceof FormatError) return { problem: error.message };
    throw error;
  }
}

parentPort?.postMessage("ready");
