import { scenarioFormats, type ScenarioFormat } from "../../formats/formats.ts";
import type { FileScenario, Note } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import { counted } from "../terminal/figures.ts";
import { note, printText } from "../terminal/output.ts";
import { writeWholeFile } from "../write-whole-file.ts";

const writable: readonly ScenarioFormat[] = (scenarioFormats as readonly ScenarioFormat[]).filter(
  (format) => format.export !== undefined,
);

/** Formats scenarios can be written in. */
export const writableFormats: readonly string[] = writable.map(({ id }) => id);

const ownFormats = ["json", "jsonl", "yaml", "csv"];

/** Writes scenarios to a file, or to stdout where none is named. Without a format the file's ending decides among our own. */
export async function writeScenarios(
  scenarios: readonly FileScenario[],
  { file, format }: { file?: string | undefined; format?: string | undefined },
): Promise<void> {
  const { text, written, notes } = renderScenarios(scenarios, { file, format });
  for (const { kind, pointer, message } of notes) note(`${kind} ${pointer ? `${pointer}: ` : ""}${message}`);
  refuseNothing(scenarios, written);
  if (file === undefined) printText(text);
  else {
    await writeWholeFile(file, text);
    note(`wrote ${counted(written, "scenario")} to ${file}`);
  }
}

/** A file without a scenario is of no use to anybody, and would take the place of one that had some. */
export function refuseNothing(scenarios: readonly FileScenario[], written = scenarios.length): void {
  if (scenarios.length === 0) throw new CliError("no scenario was found");
  if (written === 0) throw new CliError("nothing was written: the format holds none of the scenarios");
}

/** Scenarios as text in one of the formats, with what could not be carried over. */
export function renderScenarios(
  scenarios: readonly FileScenario[],
  { file, format }: { file?: string | undefined; format?: string | undefined },
): { format: string; text: string; written: number; notes: readonly Note[] } {
  const chosen = (format === undefined ? undefined : writable.find(({ id }) => id === format)) ?? byEnding(file);
  if (!chosen?.export) {
    throw new CliError(`which format? Use one of ${writableFormats.join(", ")}`);
  }
  const { text, written = scenarios.length, notes } = chosen.export(scenarios, endingOf(file));
  return { format: chosen.id, text: text.endsWith("\n") ? text : `${text}\n`, written, notes };
}

const endingOf = (file = ""): string => /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";

function byEnding(file: string | undefined): ScenarioFormat | undefined {
  const ending = endingOf(file);
  return writable.find(({ id, extensions }) => ownFormats.includes(id) && extensions.includes(ending));
}

/** Refuses a file whose ending says no format of ours. */
export function checkScenarioFile(file: string): void {
  if (byEnding(file)) return;
  const endings = writable.filter(({ id }) => ownFormats.includes(id)).flatMap(({ extensions }) => extensions);
  throw new CliError(`${file}: the ending says the format; use .${endings.join(", .")}`);
}
