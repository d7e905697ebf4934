import { parentPort, workerData } from "node:worker_threads";
import { FormatError, type ImportResult } from "../../../formats/scenario-file.ts";
import { listedNote } from "../../../formats/fold-notes.ts";
import { importScenarios, type ScenarioImportRequest } from "../../../formats/import-scenarios.ts";
import type { ScenarioRules } from "../../../runs/plan/batch-problems.ts";
import { capNotes, unusableNotes, type UnusableNote } from "./import-notes.ts";

/** The imported scenarios, with notes on those that cannot be run. */
export interface ImportedFile extends Omit<ImportResult, "notes"> {
  readonly notes: readonly (ImportResult["notes"][number] | UnusableNote)[];
}

/** The answer of the thread. Its first message is "ready". */
export type FileAnswer = { readonly result: ImportedFile } | { readonly problem: string };

const rules = workerData as ScenarioRules;

parentPort?.on("message", (request: ScenarioImportRequest) => parentPort?.postMessage(read(request)));

function read(request: ScenarioImportRequest): FileAnswer {
  try {
    const { notes, ...result } = importScenarios(request);
    const unusable = unusableNotes(result.scenarios, rules);
    const listed = capNotes(notes).map(listedNote);
    return { result: { ...result, notes: [...listed, ...capNotes(unusable)] } };
  } catch (error) {
    if (error instanceof FormatError) return { problem: error.message };
    throw error;
  }
}

parentPort?.postMessage("ready");
