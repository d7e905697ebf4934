import { parentPort, workerData } from "node:worker_threads";
import { FormatError } from "../../formats/format-error.ts";
import { importScenarios, type ImportRequest } from "../../formats/import-scenarios.ts";
import type { ImportResult } from "../../formats/scenario-file.ts";
import type { ScenarioRules } from "../../runs/scenario-problems.ts";
import { firstNotes } from "./first-notes.ts";
import { unusableNotes, type UnusableNote } from "./unusable-notes.ts";

/** What is read, with notes on what of it no run takes. */
export interface ReadFile extends Omit<ImportResult, "notes"> {
  readonly notes: readonly (ImportResult["notes"][number] | UnusableNote)[];
}

/** What the thread says of a file. Before the first one it says that it is there. */
export type FileAnswer = { readonly result: ReadFile } | { readonly problem: string };

const rules = workerData as ScenarioRules;

parentPort?.on("message", (request: ImportRequest) => parentPort?.postMessage(read(request)));

function read(request: ImportRequest): FileAnswer {
  try {
    const { notes, ...result } = importScenarios(request);
    const unusable = unusableNotes(result.scenarios, rules);
    return { result: { ...result, notes: [...firstNotes(notes), ...firstNotes(unusable)] } };
  } catch (error) {
    if (error instanceof FormatError) return { problem: error.message };
    throw error;
  }
}

parentPort?.postMessage("ready");
