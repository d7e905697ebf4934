import { isRecord } from "../base/json.ts";
import { parseExactJson } from "./documents/exact-json.ts";
import { FormatError } from "./documents/format-error.ts";
import { parseDocument, type ParsedDocument, type Syntax } from "./documents/parse-document.ts";
import { hasFields, listField, locationBelow, recordField } from "./documents/records.ts";
import { scenarioFormats } from "./formats.ts";
import { refuseBotium, refuseOtherFiles } from "./import/refused-files.ts";
import type { Detected, DetectionRule, DetectionSource, ScenarioFormat } from "./shared/define-format.ts";
import { detectDelimiter } from "./tables/read-table.ts";

/** Detects the format of a file from its contents. Throws a `FormatError` if the file cannot be parsed. */
export function detectFormat({ text, name }: DetectionSource): Detected {
  const syntax = detectSyntax({ text, name });
  if (syntax === "csv") {
    refuseBotium(text);
    return detectTable(text);
  }
  const document = withoutWrapper(parseDocument(text, syntax));
  const written = { json: "JSON", jsonl: "JSON lines", yaml: "YAML" }[syntax];
  const values = document.values.map(({ value }) => value);
  refuseOtherFiles(values);
  const found = detectShape(values);
  const format = found && !found.format.syntax ? found.format : ownFormat(syntax);
  return { format, reason: `${written}: ${found?.because ?? "no other format was recognised"}`, document };
}

/** The format with this id. */
export function formatOf(id: string): ScenarioFormat {
  const found = scenarioFormats.find((format) => format.id === id);
  if (!found) throw new RangeError(`There is no format ${id}`);
  return found;
}

function ownFormat(syntax: Syntax): ScenarioFormat {
  return scenarioFormats.find((format) => format.syntax === syntax) ?? formatOf(syntax);
}

/** Groups the files of one place that are read together: each main file with its parts. */
export function companionsAmong<File extends DetectionSource>(files: readonly File[]): Map<File, readonly File[]> {
  return new Map(scenarioFormats.flatMap(({ companions }) => companions?.(files, detectOrUndefined) ?? []));
}

function detectOrUndefined(file: DetectionSource): Detected | undefined {
  try {
    return detectFormat(file);
  } catch (error) {
    // The import reports the error.
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Names under which downloads and APIs list their items. */
const wrappers = ["data", "rows", "items", "records", "examples", "questions", "dataset"];

/** Opens an object that only wraps a list of items, such as the rows of Hugging Face's viewer. */
function withoutWrapper(document: ParsedDocument): ParsedDocument {
  const [only, ...others] = document.values;
  if (!only || others.length > 0 || !isRecord(only.value) || match("file", only.value)) return document;
  const inside = match("item", only.value)?.format;
  const name = wrappers.find((each) => listField(only.value, each)?.every(isRecord));
  const list = name === undefined ? [] : (listField(only.value, name) ?? []);
  if (name === undefined || list.length === 0 || (inside && !inside.isGeneric)) return document;
  const left = Object.keys(only.value).filter((each) => each !== name);
  const message = `beside the list of ${name}: ${left.join(", ")}`;
  return {
    ...document,
    notes: left.length > 0 ? [...document.notes, { kind: "dropped", message }] : document.notes,
    values: list.map((value, index) => {
      const row = recordField(value, "row");
      const isRow = row !== undefined && hasFields("row_idx")(value);
      return {
        value: isRow ? row : value,
        place: locationBelow(only.place, name, index, ...(isRow ? ["row"] : [])),
      };
    }),
  };
}

/** Decides by the first characters; the file name decides between YAML and CSV. */
export function detectSyntax({ text, name }: DetectionSource): Syntax | "csv" {
  const extension = /\.(\w+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
  if (["csv", "tsv", "tab"].includes(extension)) return "csv";
  if (["jsonl", "ndjson"].includes(extension)) return isOneValue(text) ? "json" : "jsonl";
  if (/^\s*[[{]/.test(text)) return ["yaml", "yml"].includes(extension) ? "yaml" : jsonOrLines(text);
  if (["yaml", "yml"].includes(extension)) return "yaml";
  if (extension === "json" || text.trim() === "") return "json";
  return /^\s*(---|%YAML|#|- |\? |["'\w$.-]+\s*:(\s|$))/.test(text) ? "yaml" : "csv";
}

function detectTable(text: string): Detected {
  const delimiter = detectDelimiter(text);
  const names = { ",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars" } as Record<string, string>;
  const format = formatOf(delimiter === "\t" ? "tsv" : "csv");
  return { format, reason: `a table with ${names[delimiter]} between the columns` };
}

/** True for one JSON value over several lines, for example in a file named `.jsonl`. */
function isOneValue(text: string): boolean {
  return /[\r\n]/.test(text.trim()) && jsonOrLines(text) === "json" && isJson(text);
}

/** JSON lines have a first line that is a complete value, and more lines. */
function jsonOrLines(text: string): "json" | "jsonl" {
  const [first = "", ...rest] = text.trim().split(/\r\n|\n|\r/, 3);
  return rest.length > 0 && isJson(first) ? "jsonl" : "json";
}

function isJson(text: string): boolean {
  try {
    parseExactJson(text);
    return true;
  } catch {
    return false;
  }
}

interface RankedRule extends DetectionRule {
  readonly format: ScenarioFormat;
}

/** The rules of all formats in the order in which they are asked. */
const rankedRules: readonly RankedRule[] = scenarioFormats
  .flatMap((format) => (format.detect ?? []).map((rule) => ({ ...rule, format })))
  .toSorted((left, right) => left.rank - right.rank);
const rules = {
  file: rankedRules.filter(({ of }) => of === "file"),
  item: rankedRules.filter(({ of }) => of === "item"),
};

/** Undefined if no rule matches. */
function detectShape(values: readonly unknown[]): RankedRule | undefined {
  const [first] = values;
  const whole = match("file", first);
  if (whole) return whole;
  const items = Array.isArray(first) ? (first as unknown[]) : values;
  // The first item that matches a specific format decides, so that one odd item does not.
  const found = items
    .slice(0, 20)
    .map((item) => match("item", item))
    .filter((rule) => rule !== undefined);
  return found.find(({ format }) => !format.isGeneric) ?? found[0];
}

const match = (of: "file" | "item", value: unknown): RankedRule | undefined =>
  rules[of].find(({ holds }) => holds(value));
