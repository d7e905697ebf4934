import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { parseDocument, type Syntax } from "../../documents/parse-document.ts";
import { scalarText, textField } from "../../documents/records.ts";
import { FormatError, type SourceLocation } from "../../documents/format-error.ts";
import type { NamedFiles } from "../../scenario-file.ts";
import type { ItemContext } from "../../shared/items.ts";
import { readTable } from "../../tables/read-table.ts";
import { rowToTest } from "./test-rows.ts";

/** A value from another file; the notes of its context name that file. */
interface Included {
  readonly value: unknown;
  readonly context: ItemContext;
}

const syntaxes: Readonly<Record<string, Syntax>> = { json: "json", jsonl: "jsonl", yaml: "yaml", yml: "yaml" };

/** The file that a config names instead of a value: `file://tests.csv`, `tests.yaml`, `{ path: … }`. */
export const fileNameOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : textField(value, "path", "$values");

/** The values in the matching files: list entries one by one, table rows as tests. Undefined if there are no such files. */
export function includeValues(name: string | undefined, context: ItemContext): Included[] | undefined {
  const found = name === undefined ? [] : (context.files?.(name) ?? []);
  return found.length === 0 ? undefined : found.flatMap((file) => valuesOf(file, context));
}

interface NamedFile {
  readonly name: string;
  readonly text: string;
}

function valuesOf({ name, text }: NamedFile, context: ItemContext): Included[] {
  const extension = extensionOf(name);
  if (extension === "csv" || extension === "tsv") {
    const { rows } = withFileName(name, () =>
      readTable({ text, collector: contextInFile(name, {}, context).collector }),
    );
    return rows.map((row) => ({ value: rowToTest(row), context: contextInFile(name, row.place, context) }));
  }
  const { values } = withFileName(name, () => parseDocument(text, syntaxes[extension] ?? "yaml"));
  return values.flatMap(({ value, place }) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item, index) => ({
      value: item,
      context: contextInFile(name, Array.isArray(value) ? { ...place, pointer: `/${index}` } : place, context),
    }));
  });
}

/** Adds the file name to errors. */
function withFileName<Read>(name: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(`${name}: ${error.message}`);
  }
}

/** Locates notes at the reference to the file; their messages name the position inside the file. */
function contextInFile(name: string, { line, pointer }: SourceLocation, context: ItemContext): ItemContext {
  const where = [line === undefined ? name : `${name}:${line}`, pointer].filter(Boolean).join(" ");
  const { collector, place, files } = context;
  const folder = name.replace(/(?<![^/\\])[^/\\]*$/, "");
  // Paths in an included file are relative to the config or to that file's folder.
  const near: NamedFiles = (other) => {
    const found = files?.(other) ?? [];
    return found.length > 0 || folder === "" ? found : (files?.(folder + other.replace(/^file:\/\//, "")) ?? []);
  };
  return {
    ...context,
    files: near,
    collector: {
      ...collector,
      note: (kind, _place, message) => collector.note(kind, place, `${where}: ${message}`),
      add: (draft) => collector.add({ ...draft, place }),
    },
  };
}

/** The texts in the matching files: each entry of a YAML list, otherwise the whole file. */
export function includeTexts(name: string, context: ItemContext): string[] {
  return (context.files?.(name) ?? []).flatMap((file) => {
    if (!/^ya?ml$/.test(extensionOf(file.name))) return [file.text.trim()];
    return valuesOf(file, context).map(({ value }) => scalarText(value) ?? JSON.stringify(value));
  });
}

/** The value in a file: JSON, YAML or text. Undefined if there is no such file. */
export function includeValue(name: string, context: ItemContext): unknown {
  const [file] = context.files?.(name) ?? [];
  const syntax = file && syntaxes[extensionOf(file.name)];
  return syntax ? withFileName(file.name, () => parseDocument(file.text, syntax)).values[0]?.value : file?.text.trim();
}

/** The prompts in the matching files. A text file may hold several, separated by lines of `---`. */
export function includePrompts(name: string, context: ItemContext): string[] | undefined {
  const found = context.files?.(name) ?? [];
  if (found.length === 0) return undefined;
  const texts = found.flatMap((file) =>
    extensionOf(file.name) === "txt" ? file.text.split(/^[ \t]*---[ \t]*\r?$/m) : file.text,
  );
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

/** Variables from files; later files override earlier ones. */
export function includeVariables(names: readonly string[], context: ItemContext): JsonRecord | undefined {
  const found = names.map((name) => includeValues(name, context));
  if (found.length === 0 || found.includes(undefined)) return undefined;
  return Object.assign(
    {},
    ...found.flat().map((included) => (isRecord(included?.value) ? included.value : {})),
  ) as JsonRecord;
}

const extensionOf = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
