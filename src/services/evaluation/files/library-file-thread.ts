import { parentPort } from "node:worker_threads";
import type { Scenario } from "../../../contract/schemas/scenario.ts";
import { scenarioFormats } from "../../../formats/formats.ts";
import type { Note } from "../../../formats/scenario-file.ts";

export interface LibraryFileQuestion {
  readonly format: string;
  /** One JSON text per scenario: a string is passed to a thread many times faster than an object. */
  readonly scenarios: readonly string[];
}

/** The answer of the thread. Its first message is "ready". */
export interface LibraryFile {
  readonly text: string;
  /** The text of the notes header; null when the file leaves nothing out. */
  readonly notes: string | null;
}

parentPort?.on("message", (question: LibraryFileQuestion) => parentPort?.postMessage(writeLibrary(question)));

function writeLibrary({ format, scenarios }: LibraryFileQuestion): LibraryFile {
  const writer = scenarioFormats.find(({ id }) => id === format);
  if (!writer?.write) throw new RangeError(`The format ${format} cannot be written`);
  const { text, notes } = writer.write(scenarios.map((scenario) => JSON.parse(scenario) as Scenario));
  return { text, notes: exportNotes(notes) };
}

parentPort?.postMessage("ready");

/** Proxies and clients accept only a few kilobytes of headers. */
const longestNotes = 2_000;

/** The notes header: the number of notes, and as many of them as fit. A header is ASCII only. */
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
