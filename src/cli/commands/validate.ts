import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { loadConfig } from "../config/load-config.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { brokenScenarios } from "../scenarios/lost-scenarios.ts";
import { joinScenarios, noteLine, readScenarioFiles, type ScenarioFile } from "../scenarios/read-scenarios.ts";
import { counted } from "../terminal/figures.ts";
import { note, printJson, printLine } from "../terminal/output.ts";
import { loadEnvironment } from "../parts/load-settings.ts";

interface ValidateOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** `rehearsal validate` */
export function declare(command: Command): void {
  command
    .argument("[files...]", "scenario files, folders or patterns (default: scenarios of the configuration)")
    .option("-c, --config <file>", "configuration file")
    .option("--json", "print what was found as one JSON object")
    .action(validate);
}

async function validate(files: readonly string[], { config: named, json }: ValidateOptions): Promise<void> {
  loadEnvironment();
  const { config, folder, file: configFile } = await loadConfig(named);
  for (const gate of config.gates ?? []) parseGate(gate);
  const typed = files.length > 0;
  const patterns = typed ? files : [config.scenarios ?? []].flat();
  if (patterns.length === 0 && configFile === undefined) throw new CliError("nothing to validate: name scenario files");

  const read = await readScenarioFiles(patterns, { folder: typed ? process.cwd() : folder });
  joinScenarios(read);
  const broken = read.some((file) => brokenScenarios(file).length > 0);
  if (json) printJson({ valid: !broken, ...(configFile && { config: configFile }), files: read.map(toReport) });
  else {
    if (configFile !== undefined) printLine(`${configFile}: ok`);
    for (const file of read) print(file);
  }
  if (broken) process.exitCode = exitCodes.usage;
}

function toReport({ file, format, reason, scenarios, notes }: ScenarioFile): object {
  const turns = scenarios.reduce((sum, { interactions }) => sum + interactions.length, 0);
  return { file, format, reason, scenarios: scenarios.length, turns, notes };
}

function print(file: ScenarioFile): void {
  const turns = file.scenarios.reduce((sum, { interactions }) => sum + interactions.length, 0);
  const state = brokenScenarios(file).length > 0 ? "not valid" : "ok";
  printLine(
    `${file.file}: ${state}, ${counted(file.scenarios.length, "scenario")}, ${counted(turns, "turn")} (${file.format})`,
  );
  for (const entry of file.notes) note(`  ${noteLine(file.file, entry)}`);
}
