import type { Command } from "commander";
import type { z } from "zod";
import { shellWord } from "../../base/shell-word.ts";
import type * as KeySchemas from "../config/key-schemas.ts";
import { addressProtocols } from "../../contract/protocols/protocols.ts";
import { historyChoices, reporterNames } from "./choices.ts";
import { addOptions, flagOf, type OptionEntry, type OptionValues } from "./option-table.ts";
import {
  collect,
  collectList,
  collectUnlessNone,
  joinMargins,
  nonEmptyName,
  portNumber,
  positiveNumber,
  priorityNumber,
  shareNumber,
  wholeNumber,
} from "./parsers.ts";
import { sourceOptions } from "./shared-options.ts";

/**
 * Which suggested commands name an option as it was typed:
 * - `always`: the repetition of an evaluation, and the command that resumes an interrupted run;
 * - `again`: the repetition only. A resumed run keeps what it was started with;
 * - `resume`: the resuming command only. A repetition is given another value;
 * - `fixed`: neither. A repetition is given another value, and a resumed run keeps its own;
 * - `never`: neither. The option is about one command.
 */
export type Repeat = "always" | "again" | "resume" | "fixed" | "never";

/** An option of `rehearsal eval`. */
export interface EvalOption extends OptionEntry {
  readonly group: "Target" | "Scenarios" | "Gates" | "Limits" | "Output" | "Run";
  readonly repeat: Repeat;
  /** The key of the configuration that this option outranks. Its schema is read when a configuration is. */
  readonly key?: {
    readonly name: string;
    /** Default: the description of the schema. */
    readonly help?: string;
    readonly schema: (schemas: typeof KeySchemas) => z.ZodType;
  };
  /** The keys that a value sets, where that is not the value under `key`. Objects are merged. */
  readonly sets?: (value: never) => Readonly<Record<string, unknown>>;
}

export type EvalOptionTable = Readonly<Record<string, EvalOption>>;

/** Every option of `rehearsal eval`: the only place that lists them. */
export const evalOptions = {
  model: {
    group: "Target",
    flags: "-m, --model <id>",
    help: "model to test (repeatable: one run each)",
    parse: collect,
    repeat: "fixed",
    key: {
      name: "model",
      help: "Model to test; several models are tested one after the other.",
      schema: ({ oneOrMore }) => oneOrMore,
    },
  },
  models: {
    group: "Target",
    flags: "--models <ids>",
    help: "models to test, comma separated",
    parse: collectList,
    repeat: "fixed",
  },
  variant: {
    group: "Target",
    flags: "--variant <name:key=value>",
    help: "a version to test side by side with others, such as short:system=@short.txt (repeatable; keys: model, system, endpoint, target, protocol, tools, tool_support, temperature and other parameters)",
    parse: collect,
    repeat: "again",
    key: {
      name: "variants",
      help: "Versions to test side by side, by name: each replaces the settings that it names.",
      schema: ({ variants }) => variants,
    },
    // Merged with those of the configuration, key by key.
    sets: () => ({}),
  },
  experiment: {
    group: "Target",
    flags: "--experiment <run>",
    help: "the variants join the experiment of this run, whose replies are used again",
    isRare: true,
    repeat: "again",
  },
  reuse: {
    group: "Target",
    flags: "--reuse",
    help: "use stored replies of any run with the same scenario and settings instead of asking again",
    repeat: "again",
    key: {
      name: "reuse",
      help: "Use stored replies of any run with the same scenario and settings instead of asking again.",
      schema: ({ flag }) => flag,
    },
  },
  fresh: {
    group: "Target",
    flags: "--fresh",
    help: "ask for every reply, also where one is stored",
    isRare: true,
    repeat: "again",
    conflicts: "reuse",
  },
  endpoint: {
    group: "Target",
    flags: "--endpoint <url>",
    help: "model endpoint under test (default: agent, Rehearsal's own agent backend)",
    repeat: "again",
    key: {
      name: "endpoint",
      help: "Model endpoint under test. Default: agent, Rehearsal's own agent backend.",
      schema: ({ endpoint }) => endpoint,
    },
  },
  target: {
    group: "Target",
    flags: "--target <name>",
    help: "agent under test: a name under targets in the configuration, a module like ./my-agent.ts, or a Python function like agent.py:reply",
    repeat: "again",
    key: {
      name: "target",
      help: "The target to test: a name under targets. Replaces endpoint.",
      schema: ({ text }) => text,
    },
  },
  targetCommand: {
    group: "Target",
    flags: "--target-command <command>",
    help: 'program under test that answers JSON lines, such as "python bot.py"',
    repeat: "again",
  },
  system: {
    group: "Target",
    flags: "--system <text>",
    help: "system prompt, or @file",
    repeat: "again",
    key: {
      name: "system_prompt",
      help: "Replaces the system prompts of all scenarios.",
      schema: ({ anyText }) => anyText,
    },
  },
  protocol: {
    group: "Target",
    flags: "--protocol <protocol>",
    help: "protocol of the endpoint",
    isRare: true,
    choices: addressProtocols(),
    repeat: "again",
    key: {
      name: "protocol",
      help: "Protocol of the endpoint. Default: openai-chat; agent for Rehearsal's own.",
      schema: ({ Protocol }) => Protocol,
    },
  },
  stream: {
    group: "Target",
    flags: "--stream",
    help: "stream replies to measure the time to the first token",
    isRare: true,
    repeat: "again",
    key: {
      name: "stream",
      help: "Stream replies to measure the time to the first token.",
      schema: ({ flag }) => flag,
    },
  },
  otelPort: {
    group: "Target",
    flags: "--otel <port>",
    help: "port of this machine where spans of the agent are received (default: 4318)",
    no: "receive no spans",
    alias: "--otel-port <port>",
    isRare: true,
    parse: (value: string) => Number(portNumber(value)),
    repeat: "always",
  },
  history: {
    group: "Target",
    flags: "--history <mode>",
    help: "which earlier replies the model sees",
    isRare: true,
    choices: historyChoices,
    repeat: "again",
    key: {
      name: "history",
      help: "Which earlier replies the model sees. Default: generated.",
      schema: ({ History }) => History,
    },
  },
  attempts: {
    group: "Scenarios",
    flags: "-a, --attempts <number>",
    help: "runs of each scenario",
    parse: wholeNumber(1),
    repeat: "fixed",
    key: {
      name: "attempts",
      help: 'Runs of each scenario (default 1), or {"until": "decided", "against": …}.',
      schema: ({ attempts }) => attempts,
    },
  },
  filter: {
    group: "Scenarios",
    flags: "--filter <pattern>",
    help: "only scenarios with this id (* matches anything) or tag:name",
    parse: collect,
    repeat: "again",
  },
  onlyFailed: {
    group: "Scenarios",
    flags: "--only-failed <run>",
    help: "only scenarios that did not pass in this run",
    // A repetition has more scenarios.
    repeat: "fixed",
  },
  replayUsers: {
    group: "Scenarios",
    flags: "--replay-users <run>",
    help: "send the recorded messages of this run's simulated users",
    repeat: "again",
  },
  first: {
    group: "Scenarios",
    flags: "--first <number>",
    help: "only the first scenarios",
    parse: wholeNumber(1),
    repeat: "fixed",
  },
  sample: {
    group: "Scenarios",
    flags: "--sample <number>",
    help: "only this many scenarios, drawn at random",
    parse: wholeNumber(1),
    repeat: "fixed",
  },
  seed: {
    group: "Scenarios",
    flags: "--seed <number>",
    help: "seed of the random sample, and of the order with --until-decided",
    isRare: true,
    parse: wholeNumber(0),
    repeat: "fixed",
  },
  allowsCode: {
    group: "Scenarios",
    flags: "--allow-code",
    help: "run code of imported assertions (promptfoo's javascript and python)",
    repeat: "again",
  },
  allowFiles: {
    group: "Scenarios",
    flags: "--allow-files",
    help: "read files that a scenario file names outside its own folder",
    repeat: "again",
  },
  skipInvalid: {
    group: "Scenarios",
    flags: "--skip-invalid",
    help: "skip invalid scenarios instead of stopping",
    isRare: true,
    repeat: "again",
  },
  gate: {
    group: "Gates",
    flags: "--gate <rule>",
    help: "such as overall.ci_lower>=0.7, outcome.ci_lower>=0.8, pass^3>=0.9 (repeatable; default: every scenario passes)",
    no: "only look: results do not change the exit code",
    parse: collectUnlessNone,
    repeat: "always",
    key: {
      name: "gates",
      help: 'Such as "overall.ci_lower>=0.7" or "pass^3>=0.9". Default: every scenario has to pass.',
      schema: ({ gates }) => gates,
    },
    sets: (rules: readonly string[] | false) => ({ gates: rules === false ? [] : rules }),
  },
  baseline: {
    group: "Gates",
    flags: "--baseline <run>",
    help: "fail if replies got worse than in this run or results file",
    repeat: "resume",
    key: {
      name: "baseline",
      help: "A run, or a results file relative to this file, that the replies must not be worse than.",
      schema: ({ text }) => text,
    },
  },
  untilDecided: {
    group: "Gates",
    flags: "--until-decided",
    help: "stop as soon as it is decided: two models, variants, or one against --baseline or a --gate such as overall>=0.8",
    repeat: "fixed",
  },
  notWorseBy: {
    group: "Gates",
    flags: "--not-worse-by <margins>",
    help: "with --baseline or variants: pass only if shown not to be worse by 0.02, or by overall=0.02,success=5%,latency_ms=10%",
    parse: joinMargins,
    repeat: "resume",
    key: {
      name: "not_worse_by",
      help: "Passes only if the replies are shown not to be worse than the baseline by this margin: a number for overall, or an object for several scores, pass_rate, latency_ms and cost_per_turn.",
      schema: ({ NotWorseBy }) => NotWorseBy,
    },
  },
  maxRegression: {
    group: "Gates",
    flags: "--max-regression <share>",
    help: "accepted drop, such as 0.02 or 2%",
    isRare: true,
    parse: shareNumber,
    repeat: "resume",
    key: { name: "max_regression", help: "Accepted drop. Default 0.", schema: ({ share }) => share },
  },
  undecided: {
    group: "Gates",
    flags: "--undecided <outcome>",
    help: "what an undecided baseline counts as (default: pass; fail with --not-worse-by)",
    isRare: true,
    choices: ["fail", "pass"],
    repeat: "always",
    key: {
      name: "undecided",
      help: "What an undecided baseline counts as. Default: pass; fail with not_worse_by.",
      schema: ({ Undecided }) => Undecided,
    },
  },
  maxErrors: {
    group: "Gates",
    flags: "--max-errors <share>",
    help: "share of failed turns above which the target counts as unusable",
    isRare: true,
    parse: shareNumber,
    repeat: "always",
    key: {
      name: "max_errors",
      help: "The target counts as unusable above this share of turns without a reply. Default: 0 in CI; elsewhere only a target that never replies is unusable.",
      schema: ({ share }) => share,
    },
  },
  concurrency: {
    group: "Limits",
    flags: "-j, --concurrency <number>",
    help: "attempts at once",
    parse: wholeNumber(1),
    repeat: "always",
    key: { name: "concurrency", help: "Attempts at once.", schema: ({ concurrency }) => concurrency },
  },
  maxCost: {
    group: "Limits",
    flags: "--max-cost <dollars>",
    help: "stop after spending this much",
    parse: positiveNumber,
    repeat: "again",
    key: {
      name: "budget",
      help: "Limits at which a run stops; finished turns are kept.",
      schema: ({ budget }) => budget,
    },
    sets: (money: number) => ({ budget: { money } }),
  },
  maxSeconds: {
    group: "Limits",
    flags: "--max-seconds <number>",
    help: "stop after this time",
    parse: positiveNumber,
    repeat: "again",
    sets: (seconds: number) => ({ budget: { seconds } }),
  },
  priority: {
    group: "Limits",
    flags: "--priority <number>",
    help: "with --server: runs with a higher number go first (-100 to 100)",
    isRare: true,
    parse: priorityNumber,
    repeat: "again",
    key: { name: "priority", schema: ({ Priority }) => Priority },
  },
  reporter: {
    group: "Output",
    flags: "--reporter <names>",
    help: "how results are reported (comma separated)",
    choices: reporterNames,
    parse: collectList,
    repeat: "always",
    key: { name: "reporters", help: "How progress and results are reported.", schema: ({ reporters }) => reporters },
    sets: (reporters: readonly string[]) => ({ reporters }),
  },
  output: {
    group: "Output",
    flags: "-o, --output <file>",
    help: "write the results: .json .jsonl .csv .xml (JUnit) .md .html (repeatable)",
    parse: collect,
    repeat: "always",
    key: {
      name: "output",
      help: "Files to write, relative to this file; the extension selects the format.",
      schema: ({ texts }) => texts,
    },
  },
  json: {
    group: "Output",
    flags: "--json",
    help: "print the results as one JSON object",
    repeat: "always",
  },
  dryRun: {
    group: "Output",
    flags: "--dry-run",
    help: "print the plan without calling a model",
    repeat: "never",
  },
  config: {
    group: "Run",
    flags: "-c, --config <file>",
    help: "configuration file (default: rehearsal.yaml, .json, .ts or .mts in this folder)",
    repeat: "always",
  },
  name: {
    group: "Run",
    flags: "--name <name>",
    help: "name of the test",
    parse: nonEmptyName,
    repeat: "again",
    key: {
      name: "name",
      help: "Name of the test. Default: the id of a single scenario; of several, their common tag, or their number and the date.",
      schema: ({ text }) => text,
    },
  },
  resume: {
    group: "Run",
    flags: "--resume <run>",
    help: "resume an interrupted run",
    repeat: "never",
  },
  watch: {
    group: "Run",
    flags: "--watch",
    help: "evaluate again whenever a scenario, the configuration or its system prompt changes",
    repeat: "never",
  },
  server: {
    ...sourceOptions.server,
    group: "Run",
    repeat: "always",
    key: {
      name: "server",
      help: "Address of an evaluation service to use instead of this process.",
      schema: ({ anyText }) => anyText,
    },
  },
  dataDir: {
    ...sourceOptions.dataDir,
    group: "Run",
    repeat: "always",
    // The runs of this machine, whatever server is configured.
    sets: () => ({ server: undefined }),
  },
  envFile: { ...sourceOptions.envFile, group: "Run", repeat: "always" },
} as const satisfies EvalOptionTable;

export type EvalOptions = OptionValues<typeof evalOptions>;

/** Adds the options of an evaluation in groups. `files` describes the argument. */
export function withEvalOptions(command: Command, files: string, table: EvalOptionTable = evalOptions): Command {
  command.argument("[files...]", `${files} (default: scenarios of the configuration)`);
  return addOptions(command, table, { grouped: true });
}

/** The files and options of a command, to be typed again with more scenarios or attempts. */
export function repeatedWords(
  files: readonly string[],
  options: EvalOptions,
  table: EvalOptionTable = evalOptions,
): string[] {
  return [...files.map(shellWord), ...typedWords(options, table, ["always", "again"])];
}

/** The options to type again when a run is resumed: those that are not stored with it. */
export const resumeWords = (options: EvalOptions, table: EvalOptionTable = evalOptions): string[] =>
  typedWords(options, table, ["always", "resume"]);

/** The typed options that a resumed run ignores. */
export const ignoredOnResume = (options: EvalOptions): string[] =>
  typedOptions(options, evalOptions, ["again", "fixed"]).map(({ flag }) => flag);

/** Options as words of a shell. */
function typedWords(options: EvalOptions, table: EvalOptionTable, wanted: readonly Repeat[]): string[] {
  return typedOptions(options, table, wanted).flatMap(({ flag, value }) =>
    typeof value === "boolean" ? [flag] : [value].flat().flatMap((one) => [flag, shellWord(String(one))]),
  );
}

function typedOptions(
  options: EvalOptions,
  table: EvalOptionTable,
  wanted: readonly Repeat[],
): { flag: string; value: unknown }[] {
  const values = options as Readonly<Record<string, unknown>>;
  return Object.entries(table)
    .filter(([name, { repeat }]) => values[name] !== undefined && wanted.includes(repeat))
    .map(([name, entry]) => {
      const flag = flagOf(entry);
      return { flag: values[name] === false ? flag.replace("--", "--no-") : flag, value: values[name] };
    });
}
