import { dirname, resolve } from "node:path";
import type { ColumnMapping } from "../../formats/column-mapping.ts";
import { decodeUtf8 } from "../../formats/decode-utf8.ts";
import { FormatError } from "../../formats/format-error.ts";
import { importScenarios } from "../../formats/import-scenarios.ts";
import type { FileScenario, ImportFormat, ImportResult, NamedFiles, Note } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import { readBytes } from "../read-text.ts";
import { findFiles, type FindOptions } from "./find-files.ts";
import { namedFilesIn } from "./named-files.ts";
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
  { folder = process.cwd(), except, namedIn, format = "auto", mapping = {} }: ReadOptions = {},
): Promise<ScenarioFile[]> {
  const files: ScenarioFile[] = [];
  for (const file of await findFiles(patterns, { folder, except, namedIn })) {
    const path = resolve(folder, file);
    const bytes = await readBytes(path, file);
    const parts = new Set<string>();
    const named = namedFilesIn(dirname(path), (part) => parts.add(part));
    files.push({ file, parts, ...read({ bytes, file, format, mapping, files: named }) });
  }
  return withoutParts(files, { folder, patterns });
}

/** What was read with another file is not read once more, unless it was typed itself. */
export function withoutParts(
  files: readonly ScenarioFile[],
  { folder, patterns }: { folder: string; patterns: readonly string[] },
): ScenarioFile[] {
  const parts = new Set(files.flatMap((file) => [...file.parts]));
  return files.filter(({ file }) => patterns.includes(file) || !parts.has(resolve(folder, file)));
}

function read({
  bytes,
  file,
  format,
  mapping,
  files,
}: Required<Pick<ReadOptions, "format" | "mapping">> & {
  bytes: Buffer;
  file: string;
  files: NamedFiles;
}): Omit<ScenarioFile, "file" | "parts"> {
  try {
    const log = readEvalLog(bytes);
    const text = log ?? decodeUtf8(bytes);
    const result = importScenarios({ text, name: file, format, mapping, files });
    return { text, ...result, notes: log === undefined ? result.notes : result.notes.map(withoutLine) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${file}: ${withOption(error.message)}`, undefined, { cause: error });
  }
}

/** An archive has no lines that anybody could look at. */
function withoutLine({ kind, pointer, message }: Note): Note {
  return { kind, ...(pointer !== undefined && { pointer }), message };
}

/** `support.yaml:3 /interactions/0: message` */
export function noteLine(file: string, { line, pointer, message }: Note): string {
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
