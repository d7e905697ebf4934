import { detectShape } from "./detect-shape.ts";
import { FormatError } from "./format-error.ts";
import { detectDelimiter } from "./import/read-table.ts";
import { parseExactJson } from "./parse-exact-json.ts";
import { readDocument, type ReadDocument, type Syntax } from "./read-document.ts";
import { anyField, field, textField } from "./records.ts";
import type { ImportFormat } from "./scenario-file.ts";

export type Detected =
  | { readonly format: "csv" | "tsv"; readonly reason: string; readonly document?: undefined }
  | { readonly format: Exclude<ImportFormat, "csv" | "tsv">; readonly reason: string; readonly document: ReadDocument };

export interface DetectionSource {
  readonly text: string;
  /** The file's name: a hint, never a verdict, except that `.csv` and `.tsv` are tables. */
  readonly name?: string | undefined;
}

/** Finds out what a file is from what stands in it. Throws a `FormatError` when it cannot be read. */
export function detectFormat({ text, name }: DetectionSource): Detected {
  const syntax = detectSyntax({ text, name });
  if (syntax === "csv") {
    refuseBotium(text);
    return detectTable(text);
  }
  const document = readDocument(text, syntax);
  const written = { json: "JSON", jsonl: "JSON lines", yaml: "YAML" }[syntax];
  const values = document.values.map(({ value }) => value);
  refuseBatchAnswers(values);
  const detected = detectShape(values);
  if (!detected || detected.shape === "scenarios")
    return { format: syntax, reason: `${written}: ${detected?.reason ?? "nothing more is known"}`, document };
  return { format: detected.shape, reason: `${written}: ${detected.reason}`, document };
}

function detectTable(text: string): Detected {
  const delimiter = detectDelimiter(text);
  const names = { ",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars" } as Record<string, string>;
  return { format: delimiter === "\t" ? "tsv" : "csv", reason: `a table with ${names[delimiter]} between the columns` };
}

/** How a file is written: its first characters tell, its name helps between YAML and CSV. */
export function detectSyntax({ text, name }: DetectionSource): Syntax | "csv" {
  const extension = /\.(\w+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
  if (["csv", "tsv", "tab"].includes(extension)) return "csv";
  if (["jsonl", "ndjson"].includes(extension)) return isOneValue(text) ? "json" : "jsonl";
  if (/^\s*[[{]/.test(text)) return ["yaml", "yml"].includes(extension) ? "yaml" : jsonOrLines(text);
  if (["yaml", "yml"].includes(extension)) return "yaml";
  if (extension === "json" || text.trim() === "") return "json";
  return /^\s*(---|%YAML|#|- |\? |["'\w$.-]+\s*:(\s|$))/.test(text) ? "yaml" : "csv";
}

/** One JSON value over several lines, whatever the file is called. */
function isOneValue(text: string): boolean {
  return /[\r\n]/.test(text.trim()) && jsonOrLines(text) === "json" && isJson(text);
}

/** Lines of JSON: the first line is a value by itself and there are more. */
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

/** A line of what a batch answered: OpenAI's have a status, Anthropic's a result of some type. */
const isBatchAnswer = (value: unknown): boolean =>
  textField(value, "custom_id") !== undefined &&
  (anyField(field(value, "response"), "status_code") ?? anyField(field(value, "result"), "type")) !== undefined;

/** The answers of a batch hold no question: read as a table they would be an odd one. */
function refuseBatchAnswers(values: readonly unknown[]): void {
  const [first] = values.flat();
  if (isBatchAnswer(first))
    throw new FormatError(
      "these are the answers of a batch, without what was asked; import the file of its requests, whose lines have a body",
    );
}

/** Botium's scripts are plain text, with a line for whoever speaks. */
function refuseBotium(text: string): void {
  const start = text.slice(0, 10_000);
  if (/^#me\b/m.test(start) && /^#bot\b/m.test(start))
    throw new FormatError(
      "this is a script of Botium, which is not read; write what #me and #bot say into a table with the columns conversation_id, role and content",
    );
}
