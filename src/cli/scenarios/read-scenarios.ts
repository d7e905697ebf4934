import { compact } from "../../base/compact.ts";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { ColumnMapping } from "../../formats/documents/columns.ts";
import { decodeUtf8 } from "../../formats/documents/decode-text.ts";
import {
  FormatError,
  type FileScenario,
  type ImportResult,
  type NamedFiles,
  type Note,
} from "../../formats/scenario-file.ts";
import { importScenarios } from "../../formats/import-scenarios.ts";
import type { CollectorOptions } from "../../formats/shared/scenario-collector.ts";
import { companionsAmong } from "../../formats/detect-format.ts";
import { foldNotes } from "../../formats/fold-notes.ts";
import { CliError } from "../terminal/cli-error.ts";
import { cannotRead, readBytes } from "../terminal/files.ts";
import { nodeIn } from "../terminal/next-command.ts";
import { findFiles, type FindOptions } from "./find-files.ts";
import { readInspectLog } from "./inspect-log.ts";
import { requireNear } from "./named-file-check.ts";

interface ReadOptions extends FindOptions, CollectorOptions {
  readonly format?: string;
  readonly mapping?: ColumnMapping;
  /** True: files outside the folder of a scenario file may be named in it. */
  readonly allowFiles?: boolean | undefined;
}

export interface ScenarioFile extends ImportResult {
  readonly file: string;
  readonly text: string;
  /** Paths of other files that were read as parts of this one. */
  readonly parts: ReadonlySet<string>;
}

/** Finds and reads scenario files. An unreadable file ends the command. */
export async function readScenarioFiles(
  patterns: readonly string[],
  { folder = process.cwd(), except, namedIn, ...options }: ReadOptions = {},
): Promise<ScenarioFile[]> {
  return readFiles(await findFiles(patterns, { folder, except, namedIn }), { folder, typed: patterns, ...options });
}

interface ReadFilesOptions extends Pick<ReadOptions, "format" | "mapping" | "allowFiles">, CollectorOptions {
  readonly folder: string;
  /** Files that were named one by one. */
  readonly typed: readonly string[];
  /** Called for each unreadable file. Without it, the first one ends the command. */
  readonly onUnreadable?: (error: CliError) => void;
}

/** Reads files. Some are read together, such as those of one OpenAI eval or those a promptfoo configuration names. */
export async function readFiles(
  names: readonly string[],
  { folder, typed, format = "auto", mapping = {}, onUnreadable, ...options }: ReadFilesOptions,
): Promise<ScenarioFile[]> {
  async function attempt<Value>(read: () => Value | Promise<Value>): Promise<Value[]> {
    try {
      return [await read()];
    } catch (error) {
      if (!onUnreadable || !(error instanceof CliError)) throw error;
      onUnreadable(error);
      return [];
    }
  }
  const sources: SourceFile[] = [];
  for (const name of names) sources.push(...(await attempt(() => readSource(name, folder))));
  const files: ScenarioFile[] = [];
  for (const { file, beside } of joinFiles(sources, typed)) {
    files.push(...(await attempt(() => readScenarios(file, { folder, beside, format, mapping, ...options }))));
  }
  const parts = new Set(files.flatMap((file) => [...file.parts]));
  return files.filter(({ file }) => typed.includes(file) || !parts.has(resolve(folder, file)));
}

/** All scenarios of several files. Refuses an id that is in two files, because two scenarios would become one. */
export function joinScenarios(files: readonly ScenarioFile[]): FileScenario[] {
  const origin = new Map<string, string>();
  return files.flatMap(({ file, scenarios }) =>
    scenarios.map((scenario) => {
      const earlier = origin.get(scenario.id);
      if (earlier !== undefined) {
        throw new CliError(`the scenario id "${scenario.id}" is in ${earlier} and in ${file}: ids must be unique`);
      }
      origin.set(scenario.id, file);
      return scenario;
    }),
  );
}

/** A note with its place: `support.yaml:3 /interactions/0: message`. */
export const noteLine = (main: string, note: Note): string => `${fileAndLine(main, note)}: ${withOption(note.message)}`;

/** The notes on a file, one line for each kind: those that differ only in their place are counted, unless all are wanted. */
export function noteLines(
  main: string,
  notes: readonly Note[],
  { verbose = false }: { verbose?: boolean } = {},
): string[] {
  if (verbose) return notes.map((entry) => `${entry.kind} ${noteLine(main, entry)}`);
  return foldNotes(notes).map(({ first, count }) => {
    if (count === 1) return `${first.kind} ${noteLine(main, first)}`;
    const place = fileAndLine(main, first);
    return first.subject === undefined
      ? `${first.kind} ${count} times, first at ${place}: ${withOption(first.message)}`
      : `${first.kind} ${count} ${withOption(first.subject)}, first at ${place}`;
  });
}

function fileAndLine(main: string, { file = main, line, pointer }: Note): string {
  return [line === undefined ? file : `${file}:${line}`, pointer].filter(Boolean).join(" ");
}

interface SourceFile {
  readonly name: string;
  readonly text: string;
  readonly isArchive: boolean;
}

async function readSource(name: string, folder: string): Promise<SourceFile> {
  const bytes = await readBytes(resolve(folder, name), name);
  return refusedFile(name, () => {
    const log = readInspectLog(bytes);
    return { name, text: log ?? decodeUtf8(bytes), isArchive: log !== undefined };
  });
}

/** Joins the files that are read together. They are named together, or in one folder. */
function joinFiles(
  files: readonly SourceFile[],
  typed: readonly string[],
): { file: SourceFile; beside: readonly SourceFile[] }[] {
  const places = Map.groupBy(files, ({ name }) => (typed.includes(name) ? "" : dirname(name)));
  const partsOf = new Map([...places.values()].flatMap((together) => [...companionsAmong(together)]));
  const parts = new Set([...partsOf.values()].flat());
  return files.filter((file) => !parts.has(file)).map((file) => ({ file, beside: partsOf.get(file) ?? [] }));
}

interface ScenarioSource
  extends Required<Pick<ReadOptions, "format" | "mapping">>, Pick<ReadOptions, "allowFiles">, CollectorOptions {
  readonly folder: string;
  readonly beside: readonly SourceFile[];
}

function readScenarios(
  { name, text, isArchive }: SourceFile,
  { folder, beside, format, mapping, allowFiles = false, ...options }: ScenarioSource,
): ScenarioFile {
  const parts = new Set<string>();
  const own = dirname(resolve(folder, name));
  const check = (path: string, named = path): void => {
    if (!allowFiles) requireNear(path, { named, by: name, folder: own });
  };
  const files = namedFilesIn(own, (part, named) => {
    check(part, named);
    parts.add(part);
  });
  const result = refusedFile(name, () => importScenarios({ text, name, format, mapping, files, beside, ...options }));
  for (const file of stateFiles(result)) check(file);
  return { file: name, text, parts, ...result, notes: isArchive ? result.notes.map(withoutLine) : result.notes };
}

function stateFiles({ scenarios, variants = [] }: ImportResult): readonly string[] {
  const all = [...scenarios, ...variants.flatMap((variant) => variant.scenarios)];
  return all.flatMap(({ world }) => world?.state_file ?? []);
}

function refusedFile<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const message = error.message.replace("in its folder, with: node", () => `with: ${nodeIn(dirname(name))}`);
    throw new CliError(`${name}: ${withOption(message)}`, undefined, { cause: error });
  }
}

/** Line numbers mean nothing in an archive. */
function withoutLine({ kind, file, pointer, message }: Note): Note {
  return compact({ kind, file, pointer, message });
}

/** The readers are shared with the page, which has a mapping dialog; on the command line it is an option of `import`. */
const withOption = (message: string): string =>
  message
    .replace("with the mapping ", "with rehearsal import --map ")
    .replace("imported only when allowed", "imported only with --allow-code")
    .replace("use expect_recorded", "use rehearsal import --expect-recorded");

/** Text and data files. Other files a configuration names are code or binary. */
const readable =
  /\.(txt|md|j2|jsonl?|ya?ml|csv|tsv|sql|html?|xml|log|njk|jinja2?|prompt|rst|tex|toml|ini|diff|patch|graphql|srt|vtt)$/i;

/** Resolves file names in a promptfoo configuration: `file://` and patterns. `onRead` receives each path, and its name there. */
export function namedFilesIn(folder: string, onRead: (path: string, named: string) => void = () => {}): NamedFiles {
  return (name) => {
    const path = name.trim().replace(/^file:\/\//, "");
    if (!(readable.test(path) || path.endsWith("*")) || /^\w{2,}:/.test(path)) return [];
    return matching(path, folder)
      .filter((file) => readable.test(file))
      .map((file) => {
        onRead(resolve(file), path);
        return readOne(file, relative(folder, file));
      });
  };
}

/** An existing path is taken literally: names of files and folders may contain brackets. */
function matching(path: string, folder: string): string[] {
  const whole = resolve(folder, path);
  if (existsSync(whole)) return [whole];
  return globSync(path, { cwd: folder })
    .map((file) => resolve(folder, file))
    .toSorted();
}

function readOne(path: string, name: string): { name: string; text: string } {
  try {
    return { name, text: decodeUtf8(readFileSync(path)) };
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`${name}: ${error.message}`);
    throw cannotRead(name, error);
  }
}
