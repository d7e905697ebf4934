import { parentPort, workerData } from "node:worker_threads";
import { FormatError } from "../../formats/scenario-file.ts";
import { importScenarios, type ScenarioImportRequest } from "../../formats/import-scenarios.ts";
import type { ImportResult, Note } from "../../formats/scenario-file.ts";
import type { ScenarioRules } from "../../runs/scenario-problems.ts";
import { unusableNotes, type UnusableNote } from "./unusable-notes.ts";

/** What is read, with notes on what of it no run takes. */
export interface ReadFile extends Omit<ImportResult, "notes"> {
  readonly notes: readonly (ImportResult["notes"][number] | UnusableNote)[];
}

/** What the thread says of a file. Before the first one it says that it is there. */
export type FileAnswer = { readonly result: ReadFile } | { readonly problem: string };

const rules = workerData as ScenarioRules;

parentPort?.on("message", (request: ScenarioImportRequest) => parentPort?.postMessage(read(request)));

function read(request: ScenarioImportRequest): FileAnswer {
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

/** Nobody reads more, and a file of three megabytes may give rise to a hundred megabytes of them. */
const mostNotes = 1_000;

/** The first notes on a file, and a last one that tells how many are missing. */
export function firstNotes<Listed extends Note | UnusableNote>(notes: readonly Listed[]): (Listed | Note)[] {
  if (notes.length <= mostNotes) return [...notes];
  const rest: Note = { kind: "changed", message: `and ${notes.length - mostNotes} more notes that are not listed` };
  return [...notes.slice(0, mostNotes), rest];
}
