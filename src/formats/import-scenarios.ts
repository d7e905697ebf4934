import type { ColumnMapping } from "./documents/columns.ts";
import { refuseBinary, refuseCode, refuseMarkup } from "./documents/decode-text.ts";
import { FormatError } from "./documents/format-error.ts";
import { parseDocument, type ParsedDocument } from "./documents/parse-document.ts";
import { detectFormat, detectSyntax, formatOf } from "./detect-format.ts";
import { scenarioFormats } from "./formats.ts";
import { addTraces } from "./import/traces/conversations.ts";
import type { ImportResult, NamedFiles, Note } from "./scenario-file.ts";
import type { Detected, DetectionSource, TableRule } from "./shared/define-format.ts";
import type { Span } from "./shared/imported-scenario.ts";
import { createScenarioCollector, type CollectorOptions, type ScenarioCollector } from "./shared/scenario-collector.ts";
import { readTable } from "./tables/read-table.ts";

/** The rules for tables of all formats in the order in which they are asked. */
const tableRules: readonly TableRule[] = scenarioFormats
  .flatMap(({ tables = [] }) => tables)
  .toSorted((left, right) => left.rank - right.rank);

export interface ScenarioImportRequest extends CollectorOptions {
  readonly text: string;
  readonly name?: string | undefined;
  /** The id of a format, or `auto`. */
  readonly format?: string | undefined;
  readonly mapping?: ColumnMapping | undefined;
  /** Reads the files that a promptfoo configuration names. Without it, such parts are dropped with a note. */
  readonly files?: NamedFiles | undefined;
  /** The files that are read together with this one, by `companionsAmong`. */
  readonly beside?: readonly DetectionSource[] | undefined;
}

/**
 * Reads scenarios from a file in any supported format. Everything that could not be converted is listed in `notes`; only an unreadable
 * file throws, a `FormatError` with line and column.
 */
export function importScenarios({
  text,
  name,
  format = "auto",
  mapping = {},
  files,
  beside = [],
  ...options
}: ScenarioImportRequest): ImportResult {
  const source = text.replace(/^\uFEFF/, "");
  refuseBinary(source);
  refuseMarkup(source);
  refuseCode(source, name);
  const detected = format === "auto" ? detectFormat({ text: source, name }) : parseAs(format, { text: source, name });
  const collector = createScenarioCollector(options);
  const companions = beside.map((companion) => parseCompanion(companion, collector));
  const { format: found, document, reason } = detected;
  const context = { collector, mapping };
  if (typeof found.read === "function") {
    if (document) found.read({ ...context, document, beside: companions, files });
  } else {
    if (source.trim() === "") throw new FormatError("the file is empty");
    found.read.fromText({ ...context, text: source, rules: tableRules });
  }
  const { scenarios, checks, notes, ...parts } = collector.finish();
  if (scenarios.length + notes.length === 0 && !parts.conversations)
    collector.note("dropped", {}, "the file has no scenarios");
  const own = notes.filter(({ file }) => file === undefined);
  return {
    format: found.id,
    reason: companions.length === 0 ? reason : `${reason}; read with ${companions.map(({ file }) => file).join(", ")}`,
    scenarios,
    checks,
    ...parts,
    notes: [
      ...(document ? [...document.notes, ...withLines(own, document)] : own),
      ...companions.flatMap((companion) => [
        ...companion.notes,
        ...withLines(
          notes.filter(({ file }) => file === companion.file),
          companion,
        ),
      ]),
    ],
  };
}

interface TraceFilesRequest extends CollectorOptions {
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** Reads the traces of several files together: one conversation may have its traces in many of them. */
export function importTraceFiles({ files, ...options }: TraceFilesRequest): ImportResult {
  const spans = new Map<string, Span>();
  const collector = createScenarioCollector(options);
  const formats = new Set<string>();
  for (const { name, text } of files) {
    let found = 0;
    const takeSpans = (taken: readonly Span[]): void => {
      found += taken.length;
      // Exports overlap, and a step must not happen twice.
      for (const span of taken) spans.set(JSON.stringify([span.trace, span.id]), inFile(span, name));
    };
    const {
      document,
      format: { id, read },
      reason,
    } = readTraceFile(name, text);
    if (typeof read === "function")
      read({ document, collector: { ...collector, takeSpans, add: () => {} }, mapping: {} });
    if (found === 0) throw new FormatError(`${name} has no traces (read as ${id}: ${reason})`);
    formats.add(id);
  }
  addTraces([...spans.values()], { collector, mapping: {} });
  const [format = "spans"] = formats;
  return { format, reason: `traces: ${[...formats].join(", ")}`, ...collector.finish() };
}

function inFile(span: Span, file: string): Span {
  return { ...span, place: { ...span.place, file } };
}

function readTraceFile(name: string, text: string) {
  try {
    const source = text.replace(/^\uFEFF/, "");
    refuseBinary(source);
    const { document, format, reason } = detectFormat({ text: source, name });
    if (document) return { document, format, reason };
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`${name}: ${error.message}`);
    throw error;
  }
  throw new FormatError(`${name} is a table: read it with rehearsal import`);
}

/** Parses a file that belongs to the imported one; locations in it carry its name. A table has one value per row. */
function parseCompanion(
  { text, name = "" }: DetectionSource,
  collector: ScenarioCollector,
): ParsedDocument & { file: string } {
  const source = text.replace(/^\uFEFF/, "");
  const inFile = <At extends object>(entry: At): At & { file: string } => ({ ...entry, file: name });
  try {
    refuseBinary(source);
    const syntax = detectSyntax({ text: source, name });
    const note: ScenarioCollector["note"] = (kind, place, message) => collector.note(kind, inFile(place), message);
    const document = syntax === "csv" ? tableDocument(source, { note }) : parseDocument(source, syntax);
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

const tableDocument = (text: string, collector: Pick<ScenarioCollector, "note">): ParsedDocument => ({
  syntax: "jsonl",
  values: readTable({ text, collector }).rows.map(({ cells, place }) => ({ value: cells, place })),
  notes: [],
  linesOf: () => new Map(),
});

function parseAs(id: string, source: DetectionSource): Detected {
  const format = formatOf(id);
  const reason = "as requested";
  if (typeof format.read !== "function") return { format, reason };
  const syntax = format.syntax ?? detectSyntax(source);
  if (syntax === "csv") throw new FormatError(`a ${id} file must be JSON, JSON lines or YAML`);
  return { format, reason, document: parseDocument(source.text, syntax) };
}

/** Adds line numbers to notes. A pointer that is not in the text gets the line of its nearest ancestor. */
export function withLines(notes: readonly Note[], { linesOf }: Pick<ParsedDocument, "linesOf">): Note[] {
  const without = notes.filter(({ line, pointer }) => line === undefined && pointer !== undefined);
  if (without.length === 0) return [...notes];
  const wanted = new Set(without.flatMap(({ pointer = "" }) => ancestors(pointer)));
  const lines = linesOf(wanted);
  return notes.map((note) => {
    if (note.line !== undefined || note.pointer === undefined) return note;
    const known = ancestors(note.pointer).find((pointer) => lines.has(pointer));
    const line = known === undefined ? undefined : lines.get(known);
    return line === undefined ? note : { ...note, line };
  });
}

/** The pointer and its ancestors, deepest first. */
function ancestors(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return Array.from({ length: steps.length + 1 }, (_, index) => {
    const kept = steps.slice(0, steps.length - index);
    return kept.length === 0 ? "" : `/${kept.join("/")}`;
  });
}
