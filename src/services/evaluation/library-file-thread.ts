import { parentPort } from "node:worker_threads";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { scenarioFormats, type ScenarioFormat } from "../../formats/formats.ts";
import type { Note } from "../../formats/scenario-file.ts";

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

/** Proxies and clients take a few kilobytes of headers at most. */
const longestNotes = 2_000;

/** What a file leaves out, for a header: how many notes there are, and as many of them as it may hold. A header is ASCII only. */
function exportNotes(notes: readonly Note[]): string | null {
  if (notes.length === 0) return null;
  const shown: string[] = [];
  let size = 0;
  for (const { message } of notes) {
    size += asciiJson(message).length;
    if (size > longestNotes) break;
    shown.push(message);
  }
  return asciiJson({ count: notes.length, notes: shown });
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
