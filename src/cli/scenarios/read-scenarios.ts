import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { ColumnMapping } from "../../formats/tables/columns.ts";
import { decodeUtf8 } from "../../formats/documents/decode-text.ts";
import { FormatError } from "../../formats/scenario-file.ts";
import { importScenarios } from "../../formats/import-scenarios.ts";
import { definesEval, mayBeEvalData } from "../../formats/detect-format.ts";
import type { FileScenario, ImportFormat, ImportResult, NamedFiles, Note } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import { cannotRead, readBytes } from "../read-text.ts";
import { findFiles, type FindOptions } from "./find-files.ts";
import { unzip } from "./unzip.ts";

interface ReadOptions extends FindOptions {
  readonly format?: ImportFormat | "auto";
  readonly mapping?: ColumnMapping;
}

export interface ScenarioFile extends ImportResult {
  readonly file: string;
  readonly text: string;
  /** The paths of the files that were read with it. */
  readonly parts: ReadonlySet<string>;
}

/** Every scenario file behind what was typed, read. A file that cannot be read at all ends the command. */
export async function readScenarioFiles(
  patterns: readonly string[],
  { folder = process.cwd(), except, namedIn, ...options }: ReadOptions = {},
): Promise<ScenarioFile[]> {
  return readFiles(await findFiles(patterns, { folder, except, namedIn }), { folder, typed: patterns, ...options });
}

export interface ReadFilesOptions extends Pick<ReadOptions, "format" | "mapping"> {
  readonly folder: string;
  /** The files that were named one by one. */
  readonly typed: readonly string[];
  /** Called for each file that cannot be read. Without it, the first one ends the command. */
  readonly onUnreadable?: (error: CliError) => void;
}

/** Reads files. Those of one OpenAI eval are read as one, and so are those that a promptfoo configuration names. */
export async function readFiles(
  names: readonly string[],
  { folder, typed, format = "auto", mapping = {}, onUnreadable }: ReadFilesOptions,
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
  for (const { file, beside } of joinEvalFiles(sources, typed)) {
    files.push(...(await attempt(() => readScenarios(file, { folder, beside, format, mapping }))));
  }
  const parts = new Set(files.flatMap((file) => [...file.parts]));
  return files.filter(({ file }) => typed.includes(file) || !parts.has(resolve(folder, file)));
}

interface SourceFile {
  readonly name: string;
  readonly text: string;
  readonly isArchive: boolean;
}

async function readSource(name: string, folder: string): Promise<SourceFile> {
  const bytes = await readBytes(resolve(folder, name), name);
  return refused(name, () => {
    const log = readEvalLog(bytes);
    return { name, text: log ?? decodeUtf8(bytes), isArchive: log !== undefined };
  });
}

/**
 * An eval of OpenAI is downloaded in pieces: the eval, its runs, its data, their output items. Those that were named together, and those
 * that are in one folder, belong together.
 */
function joinEvalFiles(
  files: readonly SourceFile[],
  typed: readonly string[],
): { file: SourceFile; beside: readonly SourceFile[] }[] {
  const places = Map.groupBy(files, ({ name }) => (typed.includes(name) ? "" : dirname(name)));
  const partsOf = new Map<SourceFile, readonly SourceFile[]>();
  for (const together of places.values()) {
    const main = together.find(definesEval);
    if (main)
      partsOf.set(
        main,
        together.filter((file) => file !== main && (definesEval(file) || mayBeEvalData(file))),
      );
  }
  const parts = new Set([...partsOf.values()].flat());
  return files.filter((file) => !parts.has(file)).map((file) => ({ file, beside: partsOf.get(file) ?? [] }));
}

interface ScenarioSource extends Required<Pick<ReadOptions, "format" | "mapping">> {
  readonly folder: string;
  readonly beside: readonly SourceFile[];
}

function readScenarios(
  { name, text, isArchive }: SourceFile,
  { folder, beside, format, mapping }: ScenarioSource,
): ScenarioFile {
  const parts = new Set<string>();
  const files = namedFilesIn(dirname(resolve(folder, name)), (part) => parts.add(part));
  const result = refused(name, () => importScenarios({ text, name, format, mapping, files, beside }));
  return { file: name, text, parts, ...result, notes: isArchive ? result.notes.map(withoutLine) : result.notes };
}

function refused<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${name}: ${withOption(error.message)}`, undefined, { cause: error });
  }
}

/** An archive has no lines that anybody could look at. */
function withoutLine({ kind, file, pointer, message }: Note): Note {
  return { kind, ...(file !== undefined && { file }), ...(pointer !== undefined && { pointer }), message };
}

/** `support.yaml:3 /interactions/0: message` */
export function noteLine(main: string, { file = main, line, pointer, message }: Note): string {
  const place = [line === undefined ? file : `${file}:${line}`, pointer].filter(Boolean).join(" ");
  return `${place}: ${withOption(message)}`;
}

/** The readers serve the page too and speak of a mapping; on the command line one command takes it. */
const withOption = (message: string): string => message.replace("with the mapping ", "with rehearsal import --map ");

/** All scenarios of several files. The same id in two files would make two scenarios one, so it is refused. */
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

/** What the members of an Inspect log are called: the head of a run that ended, that of one that did not, and the samples. */
const heads = ["header.json", "_journal/start.json"];
const sampleName = /^samples\/(?<id>.*)_epoch_(?<epoch>\d+)\.json$/;

/**
 * The text of an Inspect log: `.eval` is an archive with a file for each sample, the JSON form has them in one. Samples come in the order
 * of their ids, epochs first to last. undefined for bytes that are no such archive.
 */
export function readEvalLog(bytes: Buffer): string | undefined {
  if (!bytes.subarray(0, 4).equals(Buffer.from("PK\u0003\u0004"))) return undefined;
  const members = unzip(bytes);
  const head = heads.map((name) => members.get(name)).find((member) => member !== undefined);
  if (!head) return undefined;
  const samples = [...members.keys()].flatMap((name) => {
    const { id = "", epoch = "" } = sampleName.exec(name)?.groups ?? {};
    return epoch === "" ? [] : [{ name, id, epoch: Number(epoch) }];
  });
  // 9 before 10. Made here, where it is needed: it takes megabytes.
  const inOrder = new Intl.Collator("en", { numeric: true });
  samples.sort((left, right) => inOrder.compare(left.id, right.id) || left.epoch - right.epoch);
  const texts = samples.map(({ name }) => decodeUtf8(members.get(name)?.() ?? Buffer.alloc(0)));
  return `${decodeUtf8(head()).trimEnd().slice(0, -1)},"samples":[${texts.join(",")}]}`;
}

/** Texts and data. Whatever else a configuration names is code to run, or no text. */
const readable =
  /\.(txt|md|j2|jsonl?|ya?ml|csv|tsv|sql|html?|xml|log|njk|jinja2?|prompt|rst|tex|toml|ini|diff|patch|graphql|srt|vtt)$/i;

/** The files that a file in this folder names, as promptfoo finds them: `file://` and patterns. Each that is read is told of. */
export function namedFilesIn(folder: string, onRead: (path: string) => void = () => {}): NamedFiles {
  return (name) => {
    const path = name.trim().replace(/^file:\/\//, "");
    if (!(readable.test(path) || path.endsWith("*")) || /^\w{2,}:/.test(path)) return [];
    return matching(path, folder)
      .filter((file) => readable.test(file))
      .map((file) => {
        onRead(resolve(file));
        return read(file, relative(folder, file));
      });
  };
}

/** Only what was written may be a pattern: the folder's own name, or a file's, may have brackets in it. */
function matching(path: string, folder: string): string[] {
  const whole = resolve(folder, path);
  if (existsSync(whole)) return [whole];
  return globSync(path, { cwd: folder })
    .map((file) => resolve(folder, file))
    .toSorted();
}

function read(path: string, name: string): { name: string; text: string } {
  try {
    return { name, text: decodeUtf8(readFileSync(path)) };
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`${name}: ${error.message}`);
    throw cannotRead(name, error);
  }
}
