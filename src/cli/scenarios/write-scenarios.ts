import { counted } from "../../base/text.ts";
import { scenarioFormats, type ScenarioFormat } from "../../formats/formats.ts";
import type { FileScenario, Note } from "../../formats/scenario-file.ts";
import { CliError } from "../terminal/cli-error.ts";
import { note, printText } from "../terminal/output.ts";
import { foldNotes } from "../../formats/fold-notes.ts";
import { refuseOverwrite, writeWholeFile } from "../terminal/files.ts";

const writable = scenarioFormats.filter(({ write }) => write !== undefined);

/** The formats scenarios can be written in. */
export const writableFormats: readonly string[] = writable.map(({ id }) => id);

interface WriteScenarioOptions {
  readonly file?: string | undefined;
  readonly format?: string | undefined;
  /** Replace an existing file. */
  readonly force?: boolean | undefined;
  /** Print every note instead of one for each kind. */
  readonly verbose?: boolean | undefined;
  /** Refuse to write if the format cannot hold everything. */
  readonly strict?: boolean | undefined;
}

/** Writes scenarios to a file or to stdout. Without a format, the file's extension selects one of ours. */
export async function writeScenarios(
  scenarios: readonly FileScenario[],
  { file, format, force = false, verbose = false, strict = false }: WriteScenarioOptions,
): Promise<void> {
  const { text, written, notes } = renderScenarios(scenarios, { file, format });
  for (const line of exportNoteLines(notes, { verbose })) note(line);
  refuseEmpty(scenarios, written);
  if (strict) refuseLosses(notes);
  if (file === undefined) printText(text);
  else {
    await refuseOverwrite(file, { force });
    await writeWholeFile(file, text);
    note(`wrote ${counted(written, "scenario")} to ${file}`);
  }
}

function exportNoteLines(notes: readonly Note[], { verbose }: { verbose: boolean }): string[] {
  const lineOf = ({ kind, pointer, message }: Note): string => `${kind} ${pointer ? `${pointer}: ` : ""}${message}`;
  if (verbose) return notes.map(lineOf);
  return foldNotes(notes).map(({ first, count }) => {
    if (count === 1) return lineOf(first);
    return `${first.kind} ${count} ${first.subject ?? "times"}, first: ${first.message}`;
  });
}

/** Refuses the result of an import or export that lost something. */
export function refuseLosses(notes: readonly { readonly kind: string }[]): void {
  const losses = notes.filter(({ kind }) => kind !== "kept").length;
  if (losses > 0)
    throw new CliError(
      `--strict: nothing was written, because ${losses === 1 ? "1 thing was" : `${losses} things were`} dropped or changed`,
    );
}

/** Refuses to write no scenarios, which could overwrite a file that has some. */
export function refuseEmpty(scenarios: readonly FileScenario[], written = scenarios.length): void {
  if (scenarios.length === 0) throw new CliError("no scenario was found");
  if (written === 0) throw new CliError("nothing was written: the format can hold none of the scenarios");
}

/** Renders scenarios in one of the formats, with notes about what it cannot hold. */
export function renderScenarios(
  scenarios: readonly FileScenario[],
  { file, format }: { file?: string | undefined; format?: string | undefined },
): { format: string; text: string; written: number; notes: readonly Note[] } {
  const chosen = (format === undefined ? undefined : writable.find(({ id }) => id === format)) ?? byEnding(file);
  if (!chosen?.write) {
    throw new CliError(`the format is unknown: use one of ${writableFormats.join(", ")}`);
  }
  const { text, written = scenarios.length, notes } = chosen.write(scenarios, endingOf(file));
  return { format: chosen.id, text: text.endsWith("\n") ? text : `${text}\n`, written, notes };
}

const endingOf = (file = ""): string => /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";

function byEnding(file: string | undefined): ScenarioFormat | undefined {
  const ending = endingOf(file);
  return writable.find(({ isOwn, extensions }) => isOwn && extensions.includes(ending));
}

/** Refuses a file whose extension is none of our formats. */
export function requireScenarioEnding(file: string): void {
  if (byEnding(file)) return;
  const endings = writable.filter(({ isOwn }) => isOwn).flatMap(({ extensions }) => extensions);
  throw new CliError(`${file}: the extension selects the format: use .${endings.join(", .")}`);
}
