import { compact } from "../../../base/compact.ts";
import { counted } from "../../../base/text.ts";
import { basename } from "node:path";
import type { Command } from "commander";
import { CliError, exitCodes } from "../../terminal/cli-error.ts";
import { configNames, loadConfig } from "../../config/load-config.ts";
import { withFilePaths } from "../../eval/load-scenarios.ts";
import { findTargetProblems } from "../../config/find-target.ts";
import { findWorldProblems } from "../../eval/world-modules.ts";
import { evalOptions } from "../../options/eval-options.ts";
import { addOptions, type OptionTable, type OptionValues } from "../../options/option-table.ts";
import { requireKnownScores } from "../../eval/known-scores.ts";
import { parseGate } from "../../gates/parse-gate.ts";
import { loadEnvironment } from "../../config/load-settings.ts";
import { mayHaveOwnScorers } from "../../../settings/client-settings.ts";
import { readExpectations } from "../../../runs/plan/expectations.ts";
import { expectationWarnings } from "../../../runs/plan/warnings.ts";
import { findFiles, ownFiles, type FindOptions } from "../../scenarios/find-files.ts";
import { joinScenarios, noteLines, readFiles, type ScenarioFile } from "../../scenarios/read-scenarios.ts";
import { brokenScenarios, findScorerProblems } from "../../scenarios/scenario-problems.ts";
import { serverFromEnvironment } from "../../sources/open-source.ts";
import { note, printJson, printMessage } from "../../terminal/output.ts";

const validateOptions = {
  config: { flags: evalOptions.config.flags, help: "configuration file" },
  allowFiles: evalOptions.allowFiles,
  json: { flags: evalOptions.json.flags, help: "print the problems as one JSON object" },
} as const satisfies OptionTable;

/** `rehearsal validate` */
export function declare(command: Command): void {
  command.argument(
    "[files...]",
    "scenario files, folders or patterns, - for standard input (default: scenarios of the configuration)",
  );
  addOptions(command, validateOptions).action(validate);
}

async function validate(
  files: readonly string[],
  { config: named, allowFiles, json }: OptionValues<typeof validateOptions>,
): Promise<void> {
  loadEnvironment();
  // Configuration files among the arguments are checked as such.
  const configs = files.filter((file) => configNames.some((name) => name === basename(file)));
  const typed = files.filter((file) => !configs.includes(file));
  const loaded = await loadConfig(named ?? configs[0]);
  const { config, folder, file: configFile } = loaded;
  const gates = (config.gates ?? []).map(parseGate);
  const patterns = typed.length > 0 ? typed : [config.scenarios ?? []].flat();
  if (patterns.length === 0 && configFile === undefined) throw new CliError("nothing to validate: name scenario files");

  const scenariosFolder = typed.length > 0 ? process.cwd() : folder;
  const { read, problems } = await readAll(patterns, {
    folder: scenariosFolder,
    except: ownFiles(loaded),
    namedIn: typed.length > 0 ? undefined : configFile,
    allowFiles,
  });
  problems.push(...findScorerProblems({ config, file: configFile }, read));
  const worlds = read.flatMap((file) => withFilePaths(file, scenariosFolder).scenarios.map(({ world }) => world));
  problems.push(...(await findWorldProblems([config.world, ...worlds])));
  problems.push(...findTargetProblems(config, configFile));
  if (typed.length === 0 && problems.length === 0) {
    const scenarios = patterns.length === 0 ? undefined : read.flatMap((file) => file.scenarios);
    const server = config.server ?? serverFromEnvironment(undefined);
    await requireKnownScores(gates, { config, scenarios, server });
  }
  const scenarios = read.flatMap((file) => file.scenarios);
  const warnings = expectationWarnings(config, {
    expectations: readExpectations(scenarios),
    // Only the service, or a module that may be elsewhere, knows the operator's own scorers.
    customScorers: config.server !== undefined || mayHaveOwnScorers(process.env) ? ["own"] : [],
  }).map(({ pointer, message }) => `${pointer} ${message}`);
  const empty = patterns.length > 0 && read.every(({ scenarios }) => scenarios.length === 0);
  const valid = problems.length === 0 && !empty && !read.some((file) => brokenScenarios(file).length > 0);
  if (json)
    printJson(
      compact({
        valid,
        config: configFile || undefined,
        files: read.map(toReport),
        problems,
        warnings: warnings.length > 0 ? warnings : undefined,
      }),
    );
  else {
    const isFaulty = (place: string) => problems.some((problem) => problem.startsWith(place));
    if (configFile !== undefined)
      printMessage(`${configFile}: ${isFaulty(`${configFile} /`) ? "not valid" : "ok"} (configuration)`);
    for (const file of read) printValidation(file, { isFaulty: isFaulty(`${file.file}: `) });
    for (const warning of warnings) note(`warning: ${warning}`);
    for (const problem of problems) note(`rehearsal: ${problem}`);
  }
  if (!valid) process.exitCode = exitCodes.usage;
}

/** Reads all files. An unreadable one becomes a problem and does not hide those of the others. */
async function readAll(
  patterns: readonly string[],
  { folder, except, namedIn, allowFiles }: FindOptions & { folder: string; allowFiles: boolean | undefined },
): Promise<{ read: ScenarioFile[]; problems: string[] }> {
  const problems: string[] = [];
  async function attempt<Value>(act: () => Promise<Value[]>): Promise<Value[]> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(error.message);
      return [];
    }
  }
  const found: string[] = [];
  for (const pattern of patterns)
    found.push(...(await attempt(() => findFiles([pattern], { folder, except, namedIn }))));
  const read = await readFiles(await findFiles(found, { folder }), {
    folder,
    typed: patterns,
    allowFiles,
    isClosed: true,
    onUnreadable: ({ message }) => problems.push(message),
  });
  await attempt(async () => joinScenarios(read));
  return { read, problems };
}

function toReport({ file, format, reason, scenarios, notes }: ScenarioFile): object {
  const turns = scenarios.reduce((sum, { interactions }) => sum + interactions.length, 0);
  return { file, format, reason, scenarios: scenarios.length, turns, notes };
}

function printValidation(file: ScenarioFile, { isFaulty }: { isFaulty: boolean }): void {
  const turns = file.scenarios.reduce((sum, { interactions }) => sum + interactions.length, 0);
  const isValid = !isFaulty && brokenScenarios(file).length === 0;
  const state = !isValid ? "not valid" : file.scenarios.length === 0 ? "nothing to run" : "ok";
  printMessage(
    `${file.file}: ${state}, ${counted(file.scenarios.length, "scenario")}, ${counted(turns, "turn")} (${file.format})`,
  );
  for (const line of noteLines(file.file, file.notes)) note(`  ${line}`);
}
