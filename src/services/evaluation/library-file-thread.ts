import { parentPort } from "node:worker_threads";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { scenarioFormats, type ScenarioFormat } from "../../formats/formats.ts";
import { exportNotes } from "./export-notes.ts";

export interface LibraryFileQuestion {
  readonly format: string;
  /** Each as JSON: a text is handed over many times faster than what it says. */
  readonly scenarios: readonly string[];
}

/** What the thread answers. Before the first question it says that it is there. */
export interface LibraryFile {
  readonly text: string;
  /** What the file leaves out, as a header tells it; null when that is nothing. */
  readonly notes: string | null;
}

parentPort?.on("message", (question: LibraryFileQuestion) => parentPort?.postMessage(write(question)));

function write({ format, scenarios }: LibraryFileQuestion): LibraryFile {
  const writer: ScenarioFormat | undefined = scenarioFormats.find(({ id }) => id === format);
  if (!writer?.export) throw new RangeError(`The format ${format} cannot be written`);
  const { text, notes } = writer.export(scenarios.map((scenario) => JSON.parse(scenario) as Scenario));
  return { text, notes: exportNotes(notes) };
}

parentPort?.postMessage("ready");
