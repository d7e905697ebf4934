import type { ColumnMapping } from "../documents/columns.ts";
import type { ImportDocument, ParsedDocument, Syntax } from "../documents/parse-document.ts";
import type { ExportResult, FileScenario, NamedFiles } from "../scenario-file.ts";
import type { Table } from "../tables/read-table.ts";
import type { ScenarioCollector } from "./scenario-collector.ts";

/** A format of scenario files. The list in `formats.ts` makes it known to detection, import, export, the help, the API and the page. */
export interface ScenarioFormat {
  readonly id: string;
  /** A description for the reference. */
  readonly title: string;
  /** Its name in the lists of the page. */
  readonly label: string;
  /** The first one is that of a written file. */
  readonly extensions: readonly string[];
  /** The rules that recognise a file of this format, in JSON or YAML. */
  readonly detect?: readonly DetectionRule[] | undefined;
  /** The rules that recognise a table of this format. */
  readonly tables?: readonly TableRule[] | undefined;
  /** Set for our own format in one of these syntaxes: a file that no other format knows is read as ours. */
  readonly syntax?: Syntax | undefined;
  /** True if the items of other formats fit too: an item that another format knows decides. */
  readonly isGeneric?: boolean | undefined;
  /** True for one of ours, which the extension of a written file selects. */
  readonly isOwn?: boolean | undefined;
  /** True for items of data that an OpenAI eval may run on. */
  readonly isDataset?: boolean | undefined;
  /** True if the fields or columns may need a mapping. */
  readonly takesMapping?: boolean | undefined;
  /** The files among those of one place that are read together: a main file and its parts. */
  readonly companions?: Companions | undefined;
  /** Reads a parsed file; a format of tables reads the text. */
  readonly read: Importer | { readonly fromText: TableImporter };
  /** Writes the syntax of the first extension, or that of `ending` if it is another of them. */
  readonly write?: ((scenarios: readonly FileScenario[], ending?: string) => ExportResult) | undefined;
}

/** Declares a format. */
export const defineFormat = (format: ScenarioFormat): ScenarioFormat => format;

/** The rules of all formats are asked in the order of their rank, those about the whole file first; the first that holds decides. */
export interface DetectionRule {
  readonly of: "file" | "item";
  /** Unique. Before the rules of formats that have the same fields among others. */
  readonly rank: number;
  /** In words, after the syntax: `JSON lines: its items have messages`. */
  readonly because: string;
  readonly holds: (value: unknown) => boolean;
}

/** Reads tables with the columns of a tool. Such rules are asked in the order of their rank, too. */
export interface TableRule {
  readonly rank: number;
  /** Returns false if the columns are not those of the tool. */
  readonly read: (table: Table, context: TableContext) => boolean;
}

export interface TableContext {
  readonly collector: ScenarioCollector;
  readonly mapping: ColumnMapping;
}

/** Reads a parsed file and passes its scenarios to the collector. */
export type Importer = (source: ImporterInput) => void;

export interface ImporterInput extends TableContext {
  readonly document: ImportDocument;
  /** The parts that are read together with the file. */
  readonly beside?: readonly ImportDocument[] | undefined;
  readonly files?: NamedFiles | undefined;
}

/** Reads the text of a table. `rules` are those of all formats, in order. */
type TableImporter = (source: TableContext & { readonly text: string; readonly rules: readonly TableRule[] }) => void;

export interface DetectionSource {
  readonly text: string;
  /** Only a hint, except that `.csv` and `.tsv` always mean a table. */
  readonly name?: string | undefined;
}

export interface Detected {
  readonly format: ScenarioFormat;
  /** In words. */
  readonly reason: string;
  /** Undefined for a table. */
  readonly document?: ParsedDocument | undefined;
}

/** `detect` returns undefined for a file that cannot be parsed. */
type Companions = <File extends DetectionSource>(
  files: readonly File[],
  detect: (file: File) => Detected | undefined,
) => readonly (readonly [main: File, parts: readonly File[]])[];
