import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { FormatError } from "../../format-error.ts";
import type { ItemContext } from "../../peer-item.ts";
import { readDocument, type Syntax } from "../../read-document.ts";
import { scalarText, textField } from "../../records.ts";
import type { NamedFiles, Place } from "../../scenario-file.ts";
import { readTable } from "../read-table.ts";
import { toTest } from "./table-test.ts";

/** Something that stands in a file of its own, with a context whose notes name that file. */
interface Included {
  readonly value: unknown;
  readonly context: ItemContext;
}

const syntaxes: Readonly<Record<string, Syntax>> = { json: "json", jsonl: "jsonl", yaml: "yaml", yml: "yaml" };

/** The file that a part of a configuration names in place of being there: `file://tests.csv`, `tests.yaml`, `{ path: … }`. */
export const fileNameOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : textField(value, "path", "$values");

/** What is in the files of this name, list members one by one and rows of a table as tests; undefined where there are none to be had. */
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
    const { rows } = naming(name, () => readTable({ text, collector: inFile(name, {}, context).collector }));
    return rows.map((row) => ({ value: toTest(row), context: inFile(name, row.place, context) }));
  }
  const { values } = naming(name, () => readDocument(text, syntaxes[extension] ?? "yaml"));
  return values.flatMap(({ value, place }) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item, index) => ({
      value: item,
      context: inFile(name, Array.isArray(value) ? { ...place, pointer: `/${index}` } : place, context),
    }));
  });
}

/** What is read, or why it cannot be, with the name of the file it is in. */
function naming<Read>(name: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(`${name}: ${error.message}`);
  }
}

/** Notes are about the place that names the file, and say where in the file they are about. */
function inFile(name: string, { line, pointer }: Place, context: ItemContext): ItemContext {
  const where = [line === undefined ? name : `${name}:${line}`, pointer].filter(Boolean).join(" ");
  const { collector, place, files } = context;
  const folder = name.replace(/[^/\\]*$/, "");
  // A file of tests may name others from its own folder, or as the configuration does.
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

/** The texts that stand in files of their own: a list in YAML is one each, anything else the whole file. */
export function includeTexts(name: string, context: ItemContext): string[] {
  return (context.files?.(name) ?? []).flatMap((file) => {
    if (!/^ya?ml$/.test(extensionOf(file.name))) return [file.text.trim()];
    return valuesOf(file, context).map(({ value }) => scalarText(value) ?? JSON.stringify(value));
  });
}

/** The value that stands in a file of its own: a text, or what JSON or YAML says. Undefined where it cannot be had. */
export function includeValue(name: string, context: ItemContext): unknown {
  const [file] = context.files?.(name) ?? [];
  const syntax = file && syntaxes[extensionOf(file.name)];
  return syntax ? naming(file.name, () => readDocument(file.text, syntax)).values[0]?.value : file?.text.trim();
}

/** The prompts in a file: one, or several in a text file with lines of hyphens between them. */
export function includePrompts(name: string, context: ItemContext): string[] | undefined {
  const found = context.files?.(name) ?? [];
  if (found.length === 0) return undefined;
  const texts = found.flatMap((file) =>
    extensionOf(file.name) === "txt" ? file.text.split(/^[ \t]*---[ \t]*\r?$/m) : file.text,
  );
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

/** Data for the variables of a test: the records of these files, the later ones over the earlier. */
export function includeVariables(names: readonly string[], context: ItemContext): JsonRecord | undefined {
  const found = names.map((name) => includeValues(name, context));
  if (found.length === 0 || found.includes(undefined)) return undefined;
  return Object.assign(
    {},
    ...found.flat().map((included) => (isRecord(included?.value) ? included.value : {})),
  ) as JsonRecord;
}

const extensionOf = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
