import { Option, type Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { histories, protocols } from "../eval/choices.ts";
import type { EvalOptions } from "../eval/eval-settings.ts";
import {
  collect,
  collectList,
  givenName,
  moreThanZero,
  priorityNumber,
  share,
  wholeNumber,
  withSource,
} from "../options.ts";
import { reporterNames } from "../reporters/reporter-names.ts";

/** `rehearsal eval` */
export function declare(command: Command): void {
  const files = "scenario files, folders or patterns, - for standard input";
  withEvalOptions(withSource(command), files).addHelpText("after", examples).action(evaluate);
}

/** The options `eval` and `watch` share. `files` says what may be named to them. */
export function withEvalOptions(command: Command, files: string): Command {
  return command
    .argument("[files...]", `${files} (default: scenarios of the configuration)`)
    .option("-c, --config <file>", "configuration file (default: rehearsal.yaml, .json, .ts or .mts in this folder)")
    .option("--endpoint <url>", "model endpoint under test (default: agent, Rehearsal's own agent backend)")
    .option("-m, --model <id>", "model to test (repeatable: one run each)", collect)
    .option("-a, --attempts <number>", "how often each scenario is run", wholeNumber(1))
    .option("--name <name>", "name of the test", givenName)
    .addOption(new Option("--protocol <protocol>", "how the endpoint is spoken to").choices(protocols))
    .option("--system <text>", "system prompt, or @file")
    .option("--stream", "ask for streams, so that the time to the first token is known")
    .addOption(new Option("--history <mode>", "whose earlier replies the model sees").choices(histories))
    .option("-j, --concurrency <number>", "attempts at once", wholeNumber(1))
    .option("--priority <number>", "with --server: goes before runs with a lower one (-100 to 100)", priorityNumber)
    .option("--filter <pattern>", "only scenarios with this id (* stands for anything) or tag:name", collect)
    .option("--only-failed <run>", "only scenarios that did not pass in this run")
    .option("--first <number>", "only the first scenarios", wholeNumber(1))
    .option("--sample <number>", "only so many scenarios, drawn at random", wholeNumber(1))
    .option("--seed <number>", "draws another sample", wholeNumber(0))
    .option("--max-cost <dollars>", "stop when this much is spent", moreThanZero)
    .option("--max-seconds <number>", "stop after this time", moreThanZero)
    .option("--max-errors <share>", "failed turns up to which the target is usable", share)
    .option("--gate <rule>", "such as overall>=0.8, overall.ci_lower>=0.7, pass^3>=0.9 (repeatable)", collect)
    .option("--baseline <run>", "fail when the replies are worse than those of this run or results file")
    .option("--max-regression <share>", "a drop that is accepted, such as 0.02 or 2%", share)
    .option("--resume <run>", "go on with a run that was interrupted")
    .option("--dry-run", "say what would be done, and call no model")
    .addOption(
      new Option("--reporter <names>", "how results are told (comma separated)")
        .choices(reporterNames)
        .argParser(collectList),
    )
    .option("-o, --output <file>", "write the results: .json .jsonl .csv .xml (JUnit) .md .html (repeatable)", collect)
    .option("--skip-invalid", "leave out scenarios that cannot be read instead of stopping")
    .option("--json", "print the results as one JSON object");
}

async function evaluate(files: readonly string[], options: EvalOptions): Promise<void> {
  const { runEval } = await import("../eval/run-eval.ts");
  const exitCode = await runEval(files, options);
  if (exitCode !== exitCodes.ok) process.exitCode = exitCode;
}

const examples = `
Examples:
  rehearsal eval scenarios/ --model demo/retrieval --attempts 3
  rehearsal eval chats.jsonl --endpoint https://api.example.com/v1 --model small-1 --gate 'overall>=0.8'
  rehearsal eval --baseline latest --reporter line -o results.json -o report.html`;
