import { compact } from "../../../base/compact.ts";
import { counted } from "../../../base/text.ts";
import { dirname, relative, resolve } from "node:path";
import { Option, type Command } from "commander";
import { withCodePaths } from "../../../contract/schemas/scores/scorer-setting.ts";
import { isRecorded, reviewRequest, withoutRecording } from "../../../formats/review-request.ts";
import { parseColumnMapping } from "../../../formats/documents/columns.ts";
import { isLoss, listedNote } from "../../../formats/fold-notes.ts";
import { scenarioFormats } from "../../../formats/formats.ts";
import type { FileScenario, ScenarioVariant } from "../../../formats/scenario-file.ts";
import { unusableNotes, type UnusableNote } from "../../../services/evaluation/files/import-notes.ts";
import { requireScenarioEnding, refuseEmpty, refuseLosses, writeScenarios } from "../../scenarios/write-scenarios.ts";
import { joinScenarios, noteLines, readScenarioFiles, type ScenarioFile } from "../../scenarios/read-scenarios.ts";
import {
  listConversations,
  readTraces,
  traceFiles,
  traceSettings,
  withTraceOptions,
  type TraceOptions,
} from "../../scenarios/read-traces.ts";
import { withFilePaths } from "../../eval/load-scenarios.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { refuseOverwrite } from "../../terminal/files.ts";
import { ownCommand, sourceWords } from "../../terminal/next-command.ts";
import { evalOptions } from "../../options/eval-options.ts";
import { addOptions } from "../../options/option-table.ts";
import { withForce, withSource, type SourceOptions } from "../../options/shared-options.ts";
import { note, printJson } from "../../terminal/output.ts";

interface ImportOptions extends TraceOptions, SourceOptions {
  readonly from: string;
  readonly map?: string;
  readonly output?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly expectRecorded?: boolean;
  readonly world?: boolean;
  readonly verbose?: boolean;
  readonly strict?: boolean;
  readonly force?: boolean;
  readonly allowsCode?: boolean;
  readonly allowFiles?: boolean;
}

const codeAndFiles = {
  allowsCode: {
    flags: evalOptions.allowsCode.flags,
    help: "keep code of assertions (JavaScript, Python), which rehearsal eval will run",
  },
  allowFiles: evalOptions.allowFiles,
};

/** `rehearsal import` */
export function declare(command: Command): void {
  command
    .argument(
      "<files...>",
      "files, folders or patterns, - for standard input; after the word traces: files with traces",
    )
    .addOption(
      new Option("--from <format>", "format").choices(["auto", ...scenarioFormats.map(({ id }) => id)]).default("auto"),
    )
    .option("--map <roles>", "roles of the columns: user=question,reference=answer,labels=intent|sentiment")
    .option("-o, --output <file>", "scenario file to write: .json, .jsonl, .yaml or .csv (default: print JSON)")
    .option("--expect-recorded", "expect recorded replies and tool calls: of traces, logs and failed trajectories");
  addOptions(command, codeAndFiles)
    .option("--no-world", "make no world of the tools and their recorded results")
    .option("--dry-run", "only report what would be imported")
    .option("--strict", "fail if anything is dropped or changed")
    .option("--verbose", "print every note instead of one for each kind")
    .option("--json", "print scenarios, checks, notes and the written file as one JSON object");
  withSource(withTraceOptions(command))
    .option("-c, --config <file>", "configuration file with redact (default: rehearsal.yaml in this folder)")
    .addHelpText("after", examples)
    .action(importFiles);
  withForce(command);
}

const examples = `
Examples:
  rehearsal import questions.csv --map user=question,reference=answer -o scenarios.yaml
  rehearsal import traces spans.json --list
  rehearsal import traces spans/*.json --since 7d --errors only -o failing.yaml
  rehearsal import traces --agent http://127.0.0.1:8000 --conversation thread-42 -o thread-42.yaml
  rehearsal import traces spans.json --since 24h --review`;

async function importFiles(files: readonly string[], options: ImportOptions): Promise<void> {
  const { output: file, dryRun, json, strict = false, verbose = false, force = false } = options;
  if (file !== undefined) requireScenarioEnding(file);
  if (!dryRun) await refuseOverwrite(file, { force });
  const { loadRedaction } = await import("../../config/load-config.ts");
  const reading = {
    expectsRecorded: options.expectRecorded,
    makesWorlds: options.world,
    allowsCode: options.allowsCode,
    makesVariants: file !== undefined,
    redact: await loadRedaction(options.config),
    ...traceSettings(options),
  };
  const traces = traceFiles(files, options);
  const read = traces
    ? [await readTraces(traces, { ...options, ...reading })]
    : await readScenarioFiles(
        files,
        compact({
          format: options.from,
          allowFiles: options.allowFiles,
          ...reading,
          mapping: options.map !== undefined ? parseColumnMapping(options.map) : undefined,
        }),
      );
  if (options.list) return listConversations(read, { json: json ?? false });
  const placed = read.map((entry) => withFilePaths(entry, process.cwd()));
  const toFile = (name: string): string => (file === undefined ? name : relative(dirname(resolve(file)), name));
  const recorded = joinScenarios(placed);
  const scenarios = withoutRecording(recorded).map((scenario) => movedCode(scenario, toFile));
  const review = async (): Promise<string | undefined> =>
    options.review && !dryRun && scenarios.length > 0 ? storeForReview(recorded, read, options) : undefined;
  const variants = placed.flatMap(({ variants: own = [] }) => own);
  const unusable = unusableNotes(scenarios, { limits: noLimits, helpers: { trust: "operator" } });
  const checkLosses = (): void => {
    if (strict) refuseLosses([...read.flatMap(({ notes }) => notes), ...unusable]);
  };
  if (json) {
    const isWritten = !dryRun && scenarios.length > 0 && (!strict || isWithoutLoss(read, unusable));
    const written = isWritten ? file : undefined;
    if (written !== undefined) await writeScenarios(scenarios, { file: written, force });
    const run_id = !strict || isWithoutLoss(read, unusable) ? await review() : undefined;
    printJson(
      compact({
        scenarios,
        ...whatWasRead(read, unusable),
        file: written,
        run_id,
      }),
    );
    refuseEmpty(scenarios);
    return checkLosses();
  }
  for (const { file: name, format, reason, scenarios: own, notes } of read) {
    note(`${name}: ${counted(own.length, "scenario")} read as ${format} (${reason})`);
    for (const line of noteLines(name, notes, { verbose })) note(`  ${line}`);
  }
  for (const { kind, pointer, message } of unusable) note(`  ${kind} ${pointer}: ${message}`);
  refuseEmpty(scenarios);
  checkLosses();
  if (dryRun) return;
  const runId = await review();
  if (file !== undefined || !options.review)
    await writeScenarios(scenarios, { file, format: file === undefined ? "json" : undefined, force, verbose });
  if (runId !== undefined) noteReview(runId, options);
  if (file !== undefined) await writeVariants(variants, { file, force, verbose, toFile });
}

/** Stores the recorded replies as a run, on which people can give verdicts. */
async function storeForReview(
  scenarios: readonly FileScenario[],
  read: readonly ScenarioFile[],
  options: SourceOptions,
): Promise<string> {
  const recorded = scenarios.filter(isRecorded);
  if (recorded.length === 0) throw new CliError("there are no recorded replies to review in these files");
  const models = read.flatMap(({ conversations = [] }) =>
    conversations.flatMap((conversation) => (conversation.taken ? conversation.models : [])),
  );
  const { openSession } = await import("../../sources/open-session.ts");
  await using session = await openSession({ ...options, agent: false });
  const { run_id } = await session.client.start(reviewRequest(recorded, [...new Set(models)]));
  for await (const _ of session.client.events(run_id));
  return run_id;
}

function noteReview(runId: string, options: SourceOptions): void {
  note(`stored the recorded replies as run ${runId}`);
  const start = ownCommand("serve", ...sourceWords(options));
  if (options.server === undefined) note(`  Judge them at http://127.0.0.1:8000/review?run=${runId} after: ${start}`);
  else note(`  Judge them on the page of the service, at /review?run=${runId}`);
  note(`  See the verdicts: ${ownCommand("verdicts show", runId, ...sourceWords(options))}`);
}

/** One file for each further prompt, with the same scenario ids, so that their runs can be compared. */
async function writeVariants(
  variants: readonly ScenarioVariant[],
  { file, toFile, ...options }: { file: string; force: boolean; verbose: boolean; toFile: (name: string) => string },
): Promise<void> {
  for (const [index, { name, scenarios }] of variants.entries()) {
    const path = file.replace(/(\.\w+)$/, `.prompt-${index + 2}$1`);
    note(`${name}:`);
    const moved = scenarios.map((scenario) => movedCode(scenario, toFile));
    await writeScenarios(moved, { file: path, format: undefined, ...options });
  }
}

/** Paths of code are relative to the file that names them. */
function movedCode(scenario: FileScenario, toFile: (name: string) => string): FileScenario {
  const interactions = scenario.interactions.map(({ checks, ...turn }) =>
    compact({
      ...turn,
      checks: checks ? checks.map((check) => withCodePaths(check, toFile)) : undefined,
    }),
  );
  return { ...scenario, interactions };
}

const isWithoutLoss = (read: readonly ScenarioFile[], unusable: readonly UnusableNote[]): boolean =>
  unusable.length === 0 && read.every(({ notes }) => !notes.some(isLoss));

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
  const notes = read.flatMap(({ file, notes: own }) => own.map((entry) => ({ file, ...listedNote(entry) })));
  return { checks: read.flatMap(({ checks }) => checks), notes: [...notes, ...unusable] };
}
