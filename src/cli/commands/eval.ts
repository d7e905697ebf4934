import { Option, type Command } from "commander";
import type { History, Protocol } from "../../contract/schemas/evaluation-request.ts";
import { exitCodes } from "../cli-error.ts";
import type { EvalOptions } from "../eval/eval-settings.ts";
import {
  collect,
  collectList,
  joinMargins,
  nonEmptyName,
  positiveNumber,
  priorityNumber,
  shareNumber,
  wholeNumber,
  withSource,
} from "../options.ts";
import { reporterNames } from "../reporters/reporter.ts";

/** `rehearsal eval` */
export function declare(command: Command): void {
  withEvalOptions(command, "scenario files, folders or patterns, - for standard input")
    .option("--watch", "evaluate again whenever a scenario, the configuration or its system prompt changes")
    .addHelpText("after", examples)
    .action(evaluate);
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
    .addOption(rare("--protocol <protocol>", "protocol of the endpoint").choices(protocolChoices))
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
    .option("--gate <rule>", "such as overall>=0.8, overall.ci_lower>=0.7, pass^3>=0.9 (repeatable)", collect)
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

async function evaluate(
  files: readonly string[],
  { watch, ...options }: EvalOptions & { watch?: boolean },
): Promise<void> {
  if (watch) {
    const { watchScenarios } = await import("../eval/watch-scenarios.ts");
    return watchScenarios(files, options);
  }
  const { runEval } = await import("../eval/run-eval.ts");
  const exitCode = await runEval(files, options);
  if (exitCode !== exitCodes.ok) process.exitCode = exitCode;
}

const examples = `
Examples:
  rehearsal eval scenarios/ --model demo/retrieval --attempts 3
  rehearsal eval chats.jsonl --endpoint https://api.example.com/v1 --model small-1 --gate 'overall>=0.8'
  rehearsal eval --model new-model --baseline latest --not-worse-by 0.02
  rehearsal eval --models old-model,new-model --until-decided --max-cost 5
  rehearsal eval --baseline latest --reporter line -o results.json -o report.html
  rehearsal eval --watch`;

// Repeated from the contract, with a test that compares them: loading the contract would double the time of --help.
export const protocolChoices = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "agent",
  "ag-ui",
  "a2a",
] as const satisfies readonly Protocol[];

export const historyChoices = ["generated", "reference", "both"] as const satisfies readonly History[];
