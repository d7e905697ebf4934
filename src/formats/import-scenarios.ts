import type { ColumnMapping } from "./column-mapping.ts";
import { detectFormat, detectSyntax, type Detected, type DetectionSource } from "./detect-format.ts";
import { FormatError } from "./format-error.ts";
import { importAdk } from "./import/adk.ts";
import { importCsv } from "./import/csv.ts";
import { importDeepEval } from "./import/deepeval.ts";
import type { Importer } from "./import/importer.ts";
import { importInspectLog } from "./import/inspect-log.ts";
import { importInspect } from "./import/inspect.ts";
import { importLangfuse } from "./import/langfuse.ts";
import { importLangSmith } from "./import/langsmith.ts";
import { importOpenaiChat } from "./import/openai-chat.ts";
import { importOpenaiEvals } from "./import/openai-evals/openai-evals.ts";
import { importPromptfooResults } from "./import/promptfoo/promptfoo-results.ts";
import { importPromptfoo } from "./import/promptfoo/promptfoo.ts";
import { readTable } from "./import/read-table.ts";
import { importRows } from "./import/rows.ts";
import { importScenarioItems } from "./import/scenario-items.ts";
import { importShareGpt } from "./import/sharegpt.ts";
import { readDocument, type ReadDocument } from "./read-document.ts";
import { refuseBinary } from "./refuse-binary.ts";
import { createScenarioCollector, type ScenarioCollector } from "./scenario-collector.ts";
import type { ImportFormat, ImportResult, NamedFiles, Note } from "./scenario-file.ts";

const importers: Readonly<Record<Exclude<ImportFormat, "csv" | "tsv">, Importer>> = {
  json: importScenarioItems,
  jsonl: importScenarioItems,
  yaml: importScenarioItems,
  rows: importRows,
  "openai-chat": importOpenaiChat,
  sharegpt: importShareGpt,
  promptfoo: importPromptfoo,
  "promptfoo-results": importPromptfooResults,
  "openai-evals": importOpenaiEvals,
  inspect: importInspect,
  "inspect-log": importInspectLog,
  deepeval: importDeepEval,
  adk: importAdk,
  langsmith: importLangSmith,
  langfuse: importLangfuse,
};

export interface ImportRequest {
  readonly text: string;
  readonly name?: string | undefined;
  readonly format?: ImportFormat | "auto" | undefined;
  readonly mapping?: ColumnMapping | undefined;
  /** Gives what a promptfoo configuration keeps in files of its own. Without it such parts are named as left out. */
  readonly files?: NamedFiles | undefined;
  /** The files that were given together with an eval of OpenAI: its runs, its data, its output items. */
  readonly beside?: readonly DetectionSource[] | undefined;
}

/**
 * Reads scenarios out of any file we know. What could not be carried over is in `notes`; only a file that cannot be read at all
 * throws, a `FormatError` with line and column.
 */
export function importScenarios({
  text,
  name,
  format = "auto",
  mapping = {},
  files,
  beside = [],
}: ImportRequest): ImportResult {
  const source = text.replace(/^\uFEFF/, "");
  refuseBinary(source);
  refuseMarkup(source);
  const detected = format === "auto" ? detectFormat({ text: source, name }) : asked(format, { text: source, name });
  const collector = createScenarioCollector();
  const parts = beside.map((part) => readPart(part, collector));
  if (detected.document)
    importers[detected.format]({ document: detected.document, beside: parts, collector, mapping, files });
  else if (source.trim() === "") throw new FormatError("the file is empty");
  else importCsv({ text: source, collector, mapping, ...(detected.format === "tsv" && { delimiter: "\t" }) });
  const { scenarios, checks, notes } = collector.finish();
  if (scenarios.length + notes.length === 0) collector.note("dropped", {}, "the file holds no scenario");
  const own = notes.filter(({ file }) => file === undefined);
  return {
    format: detected.format,
    reason: [detected.reason, ...(parts.length > 0 ? [parts.map(({ file }) => file).join(", ")] : [])].join(
      "; read with ",
    ),
    scenarios,
    checks,
    notes: [
      ...(detected.document ? [...detected.document.notes, ...withLines(own, detected.document)] : own),
      ...parts.flatMap((part) => [
        ...part.notes,
        ...withLines(
          notes.filter(({ file }) => file === part.file),
          part,
        ),
      ]),
    ],
  };
}

/** A file beside another one: its places say that they are in it. A table is a row for each of its lines. */
function readPart({ text, name = "" }: DetectionSource, collector: ScenarioCollector): ReadDocument & { file: string } {
  const source = text.replace(/^\uFEFF/, "");
  const inFile = <At extends object>(entry: At): At & { file: string } => ({ ...entry, file: name });
  try {
    refuseBinary(source);
    const syntax = detectSyntax({ text: source, name });
    const note: ScenarioCollector["note"] = (kind, place, message) => collector.note(kind, inFile(place), message);
    const document = syntax === "csv" ? tableDocument(source, { note }) : readDocument(source, syntax);
    return {
      ...document,
      file: name,
      values: document.values.map(({ value, place }) => ({ value, place: inFile(place) })),
      notes: document.notes.map(inFile),
    };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(`${name}: ${error.message}`);
  }
}

const tableDocument = (text: string, collector: Pick<ScenarioCollector, "note">): ReadDocument => ({
  syntax: "jsonl",
  values: readTable({ text, collector }).rows.map(({ cells, place }) => ({ value: cells, place })),
  notes: [],
  linesOf: () => new Map(),
});

function asked(format: ImportFormat, { text, name }: DetectionSource): Detected {
  const reason = "asked for";
  if (format === "csv" || format === "tsv") return { format, reason };
  const syntax = format === "json" || format === "jsonl" || format === "yaml" ? format : detectSyntax({ text, name });
  if (syntax === "csv") throw new FormatError(`a ${format} file is JSON, JSON lines or YAML; this is none of them`);
  return { format, reason, document: readDocument(text, syntax) };
}

const markup = /^\s*<(?:!doctype|html|\?xml|promptfoo|testsuites?)\b/i;

/** A page that was saved in place of the file behind it, or another tool's report: read as a table it would be one odd column. */
function refuseMarkup(text: string): void {
  if (markup.test(text.slice(0, 100)))
    throw new FormatError("this is HTML or XML; a scenario file is JSON, YAML or a table");
}

/** Notes with the line of the file they are about. A place that is not in the text has the line of the nearest one around it. */
export function withLines(notes: readonly Note[], { linesOf }: Pick<ReadDocument, "linesOf">): Note[] {
  const without = notes.filter(({ line, pointer }) => line === undefined && pointer !== undefined);
  if (without.length === 0) return [...notes];
  const wanted = new Set(without.flatMap(({ pointer = "" }) => enclosing(pointer)));
  const lines = linesOf(wanted);
  return notes.map((note) => {
    if (note.line !== undefined || note.pointer === undefined) return note;
    const known = enclosing(note.pointer).find((pointer) => lines.has(pointer));
    const line = known === undefined ? undefined : lines.get(known);
    return line === undefined ? note : { ...note, line };
  });
}

/** The pointer and all that lead to it, the deepest first. */
function enclosing(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return Array.from({ length: steps.length + 1 }, (_, index) => {
    const kept = steps.slice(0, steps.length - index);
    return kept.length === 0 ? "" : `/${kept.join("/")}`;
  });
}
