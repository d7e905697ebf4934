import { Option, type Command } from "commander";
import { parseColumnMapping } from "../../formats/tables/columns.ts";
import { scenarioFormats } from "../../formats/formats.ts";
import type { ImportFormat } from "../../formats/scenario-file.ts";
import { unusableNotes, type UnusableNote } from "../../services/evaluation/files/import-notes.ts";
import { requireScenarioEnding, refuseEmpty, writeScenarios } from "../scenarios/write-scenarios.ts";
import { joinScenarios, noteLine, readScenarioFiles, type ScenarioFile } from "../scenarios/read-scenarios.ts";
import { counted } from "../terminal/text.ts";
import { note, printJson } from "../terminal/output.ts";

interface ImportOptions {
  readonly from: ImportFormat | "auto";
  readonly map?: string;
  readonly output?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const names: readonly string[] = scenarioFormats.filter(({ imports }) => imports).map(({ id }) => id);

/** `rehearsal import` */
export function declare(command: Command): void {
  command
    .argument("<files...>", "files, folders or patterns, - for standard input")
    .addOption(new Option("--from <format>", "format").choices(["auto", ...names]).default("auto"))
    .option("--map <roles>", "roles of the columns: user=question,reference=answer,labels=intent|sentiment")
    .option("-o, --output <file>", "scenario file to write: .json, .jsonl, .yaml or .csv (default: print JSON)")
    .option("--dry-run", "only report what would be imported")
    .option("--json", "print scenarios, checks, notes and the written file as one JSON object")
    .action(importFiles);
}

async function importFiles(files: readonly string[], options: ImportOptions): Promise<void> {
  const { output: file, dryRun, json } = options;
  if (file !== undefined) requireScenarioEnding(file);
  const read = await readScenarioFiles(files, {
    format: options.from,
    ...(options.map !== undefined && { mapping: parseColumnMapping(options.map) }),
  });
  const scenarios = joinScenarios(read);
  const unusable = unusableNotes(scenarios, { limits: noLimits, helpers: {} });
  if (json) {
    const written = dryRun || scenarios.length === 0 ? undefined : file;
    if (written !== undefined) await writeScenarios(scenarios, { file: written });
    printJson({ scenarios, ...whatWasRead(read, unusable), ...(written !== undefined && { file: written }) });
    return refuseEmpty(scenarios);
  }
  for (const { file: name, format, reason, scenarios: own, notes } of read) {
    note(`${name}: ${counted(own.length, "scenario")} read as ${format} (${reason})`);
    for (const entry of notes) note(`  ${entry.kind} ${noteLine(name, entry)}`);
  }
  for (const { kind, pointer, message } of unusable) note(`  ${kind} ${pointer}: ${message}`);
  refuseEmpty(scenarios);
  if (!dryRun) await writeScenarios(scenarios, { file, format: file === undefined ? "json" : undefined });
}

/** The service that runs a scenario limits its size; importing does not. */
const noLimits = {
  attempts: Infinity,
  interactions: Infinity,
  callsPerRun: Infinity,
  metadataKeys: Infinity,
  metadataBytes: Infinity,
  scores: Infinity,
};

function whatWasRead(read: readonly ScenarioFile[], unusable: readonly UnusableNote[]): object {
  const notes = read.flatMap(({ file, notes: own }) => own.map((entry) => ({ file, ...entry })));
  return { checks: read.flatMap(({ checks }) => checks), notes: [...notes, ...unusable] };
}
