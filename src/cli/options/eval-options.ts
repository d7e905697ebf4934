import { Command, Option } from "commander";
import { shellWord } from "../../base/shell-word.ts";
import { addressProtocols } from "../../contract/protocols/protocols.ts";
import type { History, Protocol } from "../../contract/schemas/evaluation-request.ts";
import type { Undecided } from "../../contract/schemas/margins.ts";
import {
  collect,
  collectList,
  collectUnlessNone,
  joinMargins,
  nonEmptyName,
  positiveNumber,
  priorityNumber,
  shareNumber,
  wholeNumber,
  withSource,
  type SourceOptions,
} from "./options.ts";

/** The options of `rehearsal eval`. */
export interface EvalOptions extends SourceOptions {
  readonly config?: string;
  readonly endpoint?: string;
  readonly target?: string;
  readonly targetCommand?: string;
  readonly model?: readonly string[];
  readonly models?: readonly string[];
  readonly untilDecided?: boolean;
  readonly attempts?: number;
  readonly name?: string;
  readonly protocol?: Protocol;
  readonly system?: string;
  readonly stream?: boolean;
  readonly history?: History;
  readonly concurrency?: number;
  readonly priority?: number;
  readonly filter?: readonly string[];
  readonly onlyFailed?: string;
  readonly replayUsers?: string;
  readonly first?: number;
  readonly sample?: number;
  readonly seed?: number;
  readonly maxCost?: number;
  readonly maxSeconds?: number;
  readonly maxErrors?: number;
  /** False with `--no-gate`. */
  readonly gate?: readonly string[] | false;
  readonly baseline?: string;
  readonly maxRegression?: number;
  readonly notWorseBy?: string;
  readonly undecided?: Undecided;
  readonly resume?: string;
  readonly dryRun?: boolean;
  readonly reporter?: readonly string[];
  readonly output?: readonly string[];
  readonly skipInvalid?: boolean;
  readonly allowCode?: boolean;
  readonly allowFiles?: boolean;
  readonly json?: boolean;
}

/** A rare option: it is in docs/cli.md and not in the help. */
const rare = (flags: string, description: string): Option => new Option(flags, description).hideHelp();

/** Adds the options of an evaluation in groups. `files` describes the argument. */
export function withEvalOptions(command: Command, files: string): Command {
  command
    .argument("[files...]", `${files} (default: scenarios of the configuration)`)
    .optionsGroup("Target:")
    .option("-m, --model <id>", "model to test (repeatable: one run each)", collect)
    .option("--models <ids>", "models to test, comma separated", collectList)
    .option("--endpoint <url>", "model endpoint under test (default: agent, Rehearsal's own agent backend)")
    .option(
      "--target <name>",
      "agent under test: a name under targets in the configuration, or a module like ./my-agent.ts",
    )
    .option("--target-command <command>", 'program under test that answers JSON lines, such as "python bot.py"')
    .option("--system <text>", "system prompt, or @file")
    .addOption(rare("--protocol <protocol>", "protocol of the endpoint").choices(addressProtocols()))
    .addOption(rare("--stream", "stream replies to measure the time to the first token"))
    .addOption(rare("--history <mode>", "which earlier replies the model sees").choices(historyChoices))
    .optionsGroup("Scenarios:")
    .option("-a, --attempts <number>", "runs of each scenario", wholeNumber(1))
    .option("--filter <pattern>", "only scenarios with this id (* matches anything) or tag:name", collect)
    .option("--only-failed <run>", "only scenarios that did not pass in this run")
    .option("--replay-users <run>", "send the recorded messages of this run's simulated users")
    .option("--first <number>", "only the first scenarios", wholeNumber(1))
    .option("--sample <number>", "only this many scenarios, drawn at random", wholeNumber(1))
    .addOption(
      rare("--seed <number>", "seed of the random sample, and of the order with --until-decided").argParser(
        wholeNumber(0),
      ),
    )
    .option("--allow-code", "run code of imported assertions (promptfoo's javascript and python)")
    .option("--allow-files", "read files that a scenario file names outside its own folder")
    .addOption(rare("--skip-invalid", "skip invalid scenarios instead of stopping"))
    .optionsGroup("Gates:")
    .option(
      "--gate <rule>",
      "such as overall.ci_lower>=0.7, outcome.ci_lower>=0.8, pass^3>=0.9 (repeatable; default: every scenario passes)",
      collectUnlessNone,
    )
    .option("--no-gate", "only look: results do not change the exit code")
    .option("--baseline <run>", "fail if replies got worse than in this run or results file")
    .option(
      "--until-decided",
      "stop as soon as it is decided: two models, or one against --baseline or a --gate such as overall>=0.8",
    )
    .option(
      "--not-worse-by <margins>",
      "with --baseline: pass only if shown not to be worse by 0.02, or by overall=0.02,success=5%,latency_ms=10%",
      joinMargins,
    )
    .addOption(rare("--max-regression <share>", "accepted drop, such as 0.02 or 2%").argParser(shareNumber))
    .addOption(
      rare(
        "--undecided <outcome>",
        "what an undecided baseline counts as (default: pass; fail with --not-worse-by)",
      ).choices(["fail", "pass"]),
    )
    .addOption(
      rare("--max-errors <share>", "share of failed turns above which the target counts as unusable").argParser(
        shareNumber,
      ),
    )
    .optionsGroup("Limits:")
    .option("-j, --concurrency <number>", "attempts at once", wholeNumber(1))
    .option("--max-cost <dollars>", "stop after spending this much", positiveNumber)
    .option("--max-seconds <number>", "stop after this time", positiveNumber)
    .addOption(
      rare("--priority <number>", "with --server: runs with a higher number go first (-100 to 100)").argParser(
        priorityNumber,
      ),
    )
    .optionsGroup("Output:")
    .addOption(
      new Option("--reporter <names>", "how results are reported (comma separated)")
        .choices(reporterNames)
        .argParser(collectList),
    )
    .option("-o, --output <file>", "write the results: .json .jsonl .csv .xml (JUnit) .md .html (repeatable)", collect)
    .option("--json", "print the results as one JSON object")
    .option("--dry-run", "print the plan without calling a model")
    .optionsGroup("Run:")
    .option("-c, --config <file>", "configuration file (default: rehearsal.yaml, .json, .ts or .mts in this folder)")
    .option("--name <name>", "name of the test", nonEmptyName)
    .option("--resume <run>", "resume an interrupted run");
  return withSource(command);
}

/** Options that are not part of a repetition with more scenarios or attempts. The suggestion itself gives some of them. */
const notInRepetition: ReadonlySet<string> = new Set<keyof EvalOptions>([
  // Given by the suggestion.
  "model",
  "models",
  "attempts",
  "sample",
  "seed",
  "baseline",
  "notWorseBy",
  "maxRegression",
  // They would limit it to fewer scenarios.
  "first",
  "onlyFailed",
  // About this command alone.
  "resume",
  "dryRun",
  "untilDecided",
]);

/** Options that are stored with a run and cannot change when it is resumed. */
const storedWithRun: ReadonlySet<string> = new Set<keyof EvalOptions>([
  "endpoint",
  "target",
  "targetCommand",
  "model",
  "models",
  "untilDecided",
  "attempts",
  "name",
  "protocol",
  "system",
  "stream",
  "history",
  "priority",
  "filter",
  "onlyFailed",
  "replayUsers",
  "first",
  "sample",
  "seed",
  "maxCost",
  "maxSeconds",
  "skipInvalid",
  "allowCode",
  "allowFiles",
]);

/** The files and options of a command, to be typed again with more scenarios or attempts. */
export const repeatedWords = (files: readonly string[], options: EvalOptions): string[] => [
  ...files.map(shellWord),
  ...typedWords(options, (name) => !notInRepetition.has(name)),
];

/** Options of the resuming command that the suggestion itself gives, and one that resuming refuses. */
const notInResume: ReadonlySet<string> = new Set<keyof EvalOptions>(["resume", "concurrency", "dryRun"]);

/** The options to type again when a run is resumed: those that are not stored with it. */
export const resumeWords = (options: EvalOptions): string[] =>
  typedWords(options, (name) => !storedWithRun.has(name) && !notInResume.has(name));

/** The typed options that a resumed run ignores. */
export const ignoredOnResume = (options: EvalOptions): string[] =>
  typedOptions(options, (name) => storedWithRun.has(name)).map(({ flag }) => flag);

/** Options as words of a shell. */
function typedWords(options: EvalOptions, isWanted: (name: string) => boolean): string[] {
  return typedOptions(options, isWanted).flatMap(({ flag, value }) =>
    typeof value === "boolean" ? [flag] : [value].flat().flatMap((one) => [flag, shellWord(String(one))]),
  );
}

/** The options that have a value, read from the table that parses them, so that none is forgotten. */
function typedOptions(options: EvalOptions, isWanted: (name: string) => boolean): { flag: string; value: unknown }[] {
  const values = options as Readonly<Record<string, unknown>>;
  const named = new Set<string>();
  return withEvalOptions(new Command(), "").options.flatMap((option) => {
    const name = option.attributeName();
    const value = values[name];
    // `--gate` and `--no-gate` share a value, as do `--env` and its former name.
    if (value === undefined || named.has(name) || !isWanted(name) || option.negate !== (value === false)) return [];
    named.add(name);
    return { flag: option.long ?? option.flags, value };
  });
}

// Repeated from the contract, with a test that compares them: loading its schemas would double the time of --help.
export const historyChoices = ["generated", "reference", "both"] as const satisfies readonly History[];

/** `tty` and `line` are for people, the others for programs; `otlp` and `langfuse` send results to another service. */
export const reporterNames = [
  "tty",
  "line",
  "json",
  "junit",
  "github",
  "markdown",
  "html",
  "otlp",
  "langfuse",
] as const;
export type ReporterName = (typeof reporterNames)[number];
