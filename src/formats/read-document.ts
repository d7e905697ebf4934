import { LineCounter, parseAllDocuments } from "yaml";
import { positionAt, walkJson } from "../base/json-text.ts";
import { FormatError } from "./format-error.ts";
import { jsonLinesOf, repeatedKeys } from "./json-places.ts";
import { parseExactJson, withPlainNumbers } from "./parse-exact-json.ts";
import type { Note, Place } from "./scenario-file.ts";
import { yamlLinesOf } from "./yaml-lines-of.ts";
import { restoreWrittenText } from "./yaml-written-text.ts";

/** How the text of a structured file is written, leaving aside what it says. */
export type Syntax = "json" | "jsonl" | "yaml";

export interface Document {
  readonly syntax: Syntax;
  /** The one value of a JSON file, one per line of JSONL, one per document of YAML. */
  readonly values: readonly { readonly value: unknown; readonly place: Place }[];
  readonly notes: readonly Note[];
}

export interface ReadDocument extends Document {
  /** The lines on which the values at these pointers begin, for those that are in the text. */
  linesOf(wanted: ReadonlySet<string>): ReadonlyMap<string, number>;
}

const deepest = 100;
/** Values and characters a file may stand for, where that is more than it has: through aliases, a short YAML file has no end. */
const largest = 50_000_000;
/** Tests often share their assertions. What nests its aliases reaches this soon, and is refused before it is read. */
const mostAliases = 10_000;

/** Reads JSON, JSON lines or YAML; a broken line of JSONL is a note, anything else unreadable is a `FormatError`. */
export function readDocument(text: string, syntax: Syntax): ReadDocument {
  if (text.trim() === "") throw new FormatError("the file is empty");
  const document = { json: readJson, jsonl: readJsonLines, yaml: readYaml }[syntax](text);
  const most = Math.max(largest, text.length);
  for (const { value, place } of document.values) checkSize(value, { place, most });
  return document;
}

function readJson(text: string): ReadDocument {
  const value = parseJson(text);
  return {
    syntax: "json",
    values: [{ value, place: { pointer: "" } }],
    notes: noteRepeatedKeys(text),
    linesOf: (wanted) => jsonLinesOf(withPlainNumbers(text), wanted),
  };
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    const end = { offset: text.length, found: null };
    const { offset, found } = walkJson(withPlainNumbers(text)) ?? end;
    const unexpected = found === null ? "end of the text" : JSON.stringify(found);
    throw new FormatError(`not valid JSON: unexpected ${unexpected}`, positionAt(text, offset));
  }
}

/** YAML refuses such a file. In JSON it is allowed, and what the writer meant is anybody's guess. */
function noteRepeatedKeys(text: string, firstLine = 1): Note[] {
  return repeatedKeys(withPlainNumbers(text)).map(({ key, line }) => ({
    kind: "dropped",
    line: firstLine + line - 1,
    message: `the key ${JSON.stringify(key)} stands more than once in one object; only the last counts`,
  }));
}

function readJsonLines(text: string): ReadDocument {
  const values: { value: unknown; place: Place }[] = [];
  const repeated: Note[] = [];
  const broken: { line: number; column: number; message: string }[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === "") continue;
    try {
      const value = parseJson(line);
      values.push({ value, place: { line: index + 1, pointer: "" } });
      for (const note of noteRepeatedKeys(line, index + 1)) repeated.push(note);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const column = error.column ?? 1;
      broken.push({ line: index + 1, column, message: inLine(error.message) });
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

/** Of one line, what was said of a whole text. */
const inLine = (message: string): string =>
  message.replace(/^line 1, column \d+: /, "").replace("end of the text", "end of the line");

function readYaml(text: string): ReadDocument {
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
    restoreWrittenText(document);
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

/** Aliases are resolved only here, and a file that multiplies itself through them is refused by the library. */
function toValue(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new FormatError(`not usable YAML: ${firstLine(error instanceof Error ? error.message : String(error))}`);
  }
}

/** What the library says, in its first line. Of a file that is nested too deep it only knows that it could not go on. */
const firstLine = (message: string): string =>
  message.startsWith("Maximum call stack")
    ? "it is nested too deep"
    : (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");

function checkSize(value: unknown, { place, most }: { place: Place; most: number }): void {
  let size = 0;
  let layer = [value];
  for (let level = 0; layer.length > 0; level++) {
    if (level > deepest) throw new FormatError(`values are nested more than ${deepest} levels deep`, place);
    const next: unknown[] = [];
    for (const entry of layer) {
      const inner = typeof entry === "object" && entry !== null ? Object.values(entry) : [];
      size += typeof entry === "string" ? entry.length : inner.length;
      if (size > most)
        throw new FormatError("not usable YAML: its aliases stand for far more than the file holds", place);
      for (const part of inner) next.push(part);
    }
    layer = next;
  }
}
