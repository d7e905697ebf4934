import { isNode, isScalar, isSeq, LineCounter, parseAllDocuments, visit, type Document, type Scalar } from "yaml";
import { createLineCounter, jsonString, positionAt, walkJson } from "../../base/json-text.ts";
import { roleNames, type ColumnRole } from "./columns.ts";
import { FormatError, type SourceLocation } from "./format-error.ts";
import type { Note } from "../scenario-file.ts";
import { losesDigits, parseExactJson, withPlainNumbers } from "./exact-json.ts";
import { normalizeName, pointerTo } from "./records.ts";

export type Syntax = "json" | "jsonl" | "yaml";

export interface ImportDocument {
  readonly syntax: Syntax;
  /** One value for a JSON file, one per line of JSON lines, one per YAML document. */
  readonly values: readonly { readonly value: unknown; readonly place: SourceLocation }[];
  readonly notes: readonly Note[];
}

export interface ParsedDocument extends ImportDocument {
  /** The lines where the values at these pointers begin; pointers that are not in the text are missing. */
  linesOf(wanted: ReadonlySet<string>): ReadonlyMap<string, number>;
}

const deepest = 100;
/** Limit on the expanded size of a file, in values and characters: YAML aliases can make a short file huge. */
const largest = 50_000_000;
/** Generous, because tests often share assertions. Nested aliases reach it quickly and are refused before they are expanded. */
const mostAliases = 10_000;

/** Parses JSON, JSON lines or YAML. A broken line of JSON lines becomes a note; any other error is a `FormatError`. */
export function parseDocument(text: string, syntax: Syntax): ParsedDocument {
  if (text.trim() === "") throw new FormatError("the file is empty");
  const document = { json: readJsonValue, jsonl: readJsonLines, yaml: readYaml }[syntax](text);
  const most = Math.max(largest, text.length);
  for (const { value, place } of document.values) checkSize(value, { place, most });
  return document;
}

function readJsonValue(text: string): ParsedDocument {
  const value = parseJsonText(text);
  return {
    syntax: "json",
    values: [{ value, place: { pointer: "" } }],
    notes: noteRepeatedKeys(text),
    linesOf: (wanted) => jsonLinesOf(withPlainNumbers(text), wanted),
  };
}

function parseJsonText(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    const end = { offset: text.length, found: null };
    const { offset, found } = walkJson(withPlainNumbers(text)) ?? end;
    const unexpected = found === null ? "end of the text" : JSON.stringify(found);
    throw new FormatError(`not valid JSON: unexpected ${unexpected}`, positionAt(text, offset));
  }
}

/** YAML parsers refuse repeated keys; JSON parsers silently take the last. */
function noteRepeatedKeys(text: string, firstLine = 1): Note[] {
  return repeatedKeys(withPlainNumbers(text)).map(({ key, line }) => ({
    kind: "dropped",
    line: firstLine + line - 1,
    message: `the key ${JSON.stringify(key)} appears more than once in one object; only the last value is used`,
  }));
}

function readJsonLines(text: string): ParsedDocument {
  const values: { value: unknown; place: SourceLocation }[] = [];
  const repeated: Note[] = [];
  const broken: { line: number; column: number; message: string }[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === "") continue;
    try {
      const value = parseJsonText(line);
      values.push({ value, place: { line: index + 1, pointer: "" } });
      for (const note of noteRepeatedKeys(line, index + 1)) repeated.push(note);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const column = error.column ?? 1;
      broken.push({ line: index + 1, column, message: aboutOneLine(error.message) });
    }
  }
  const [first] = broken;
  if (values.length === 0 && first) throw new FormatError(first.message, first);
  const notes = broken.map(({ line, column, message }) => ({
    kind: "dropped" as const,
    line,
    message: `the line is ${message} (column ${column})`,
  }));
  return { syntax: "jsonl", values, notes: [...notes, ...repeated], linesOf: () => new Map() };
}

/** Rewords an error about a whole text as one about a single line. */
const aboutOneLine = (message: string): string =>
  message.replace(/^line 1, column \d+: /, "").replace("end of the text", "end of the line");

function readYaml(text: string): ParsedDocument {
  const lineCounter = new LineCounter();
  const documents = [...parseAllDocuments(text, { merge: true, prettyErrors: true, lineCounter, logLevel: "silent" })];
  const values = documents.map((document, index) => {
    const [error] = document.errors;
    const [start] = error?.linePos ?? [];
    if (error)
      throw new FormatError(`not valid YAML: ${firstLine(error.message)}`, {
        line: start?.line,
        column: start?.col ?? 1,
      });
    restoreSourceText(document);
    return {
      value: toValue(() => document.toJS({ maxAliasCount: mostAliases })),
      place: { pointer: documents.length > 1 ? `/${index}` : "" },
    };
  });
  return {
    syntax: "yaml",
    values: values.filter(({ value }) => value !== null && value !== undefined),
    notes: [],
    linesOf: (wanted) => yamlLinesOf(wanted, { documents, lineCounter }),
  };
}

/** The library resolves aliases here and refuses files that expand too far. */
function toValue(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new FormatError(`unusable YAML: ${firstLine(error instanceof Error ? error.message : String(error))}`);
  }
}

/** The first line of the library's message. A stack overflow means that the file is nested too deeply. */
const firstLine = (message: string): string =>
  message.startsWith("Maximum call stack")
    ? "it is nested too deeply"
    : (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");

function checkSize(value: unknown, { place, most }: { place: SourceLocation; most: number }): void {
  let size = 0;
  let layer = [value];
  for (let level = 0; layer.length > 0; level++) {
    if (level > deepest) throw new FormatError(`values are nested more than ${deepest} levels deep`, place);
    const next: unknown[] = [];
    for (const entry of layer) {
      const inner = typeof entry === "object" && entry !== null ? Object.values(entry) : [];
      size += typeof entry === "string" ? entry.length : inner.length;
      if (size > most)
        throw new FormatError("unusable YAML: its aliases expand to far more than the file contains", place);
      for (const part of inner) next.push(part);
    }
    layer = next;
  }
}

/** Finds the lines where the values at these pointers begin. */
export function jsonLinesOf(text: string, wanted: ReadonlySet<string>): Map<string, number> {
  const lines = new Map<string, number>();
  const lineAt = createLineCounter(text);
  /** The open objects and lists; `step` is the current key or index. */
  const levels: { readonly pointer: string; readonly isList: boolean; step: string | number }[] = [];
  walkJson(text, {
    onKey: (start, end) => {
      const level = levels.at(-1);
      if (level) level.step = jsonString(text, start, end);
    },
    onValue: (offset, opened) => {
      const level = levels.at(-1);
      if (level?.isList) level.step = Number(level.step) + 1;
      const pointer = level ? pointerTo(level.pointer, level.step) : "";
      if (wanted.has(pointer)) lines.set(pointer, lineAt(offset));
      if (opened) levels.push({ pointer, isList: opened === "[", step: -1 });
    },
    onClose: () => levels.pop(),
  });
  return lines;
}

interface RepeatedKey {
  readonly key: string;
  /** The line of the repetition. */
  readonly line: number;
}

/** Finds keys that appear more than once in an object. */
function repeatedKeys(text: string): RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  const lineAt = createLineCounter(text);
  const open: Set<string>[] = [];
  walkJson(text, {
    onKey: (start, end) => {
      const key = jsonString(text, start, end);
      if (open.at(-1)?.has(key)) repeated.push({ key, line: lineAt(start) });
      open.at(-1)?.add(key);
    },
    onValue: (_offset, opened) => opened && open.push(new Set()),
    onClose: () => open.pop(),
  });
  return repeated;
}

interface ReadYaml {
  readonly documents: readonly Document[];
  readonly lineCounter: LineCounter;
}

/** Finds the lines where values of a YAML file begin. With several documents, the first step of a pointer selects one. */
function yamlLinesOf(wanted: ReadonlySet<string>, { documents, lineCounter }: ReadYaml): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const pointer of wanted) {
    const steps = pointer.split("/").slice(1).map(unescapeStep);
    const document = documents[documents.length > 1 ? Number(steps.shift() ?? 0) : 0];
    const node = steps.length === 0 ? document?.contents : document?.getIn(steps, true);
    if (isNode(node) && node.range) lines.set(pointer, lineCounter.linePos(node.range[0]).line);
  }
  return lines;
}

const unescapeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const textRoles: readonly ColumnRole[] = [
  "scenario_id",
  "id",
  "user",
  "reference",
  "references",
  "system",
  "description",
  "tags",
  "agent_reply",
];
/** Fields that hold text: YAML reads an unquoted `007` or `1.10` as a number, but the author meant text. */
const textNames: ReadonlySet<string> = new Set(textRoles.flatMap((role) => roleNames[role].map(normalizeName)));

/** Restores the source text of numbers and booleans in text fields, and of numbers that lost digits. */
function restoreSourceText(document: Document): void {
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || typeof key.value !== "string" || !textNames.has(normalizeName(key.value))) return;
      for (const node of isSeq(value) ? value.items : [value]) if (isScalar(node)) restore(node);
    },
    Scalar(key, node) {
      if (key !== "key" && typeof node.value === "number" && losesDigits(node.value, node.source ?? "")) restore(node);
    },
  });
}

/** A value whose source equals its own text form needs no restoring. */
function restore(node: Scalar): void {
  const { value, source } = node;
  if (typeof value !== "number" && typeof value !== "boolean") return;
  if (source !== undefined && source !== String(value)) node.value = source;
}
