import type { Command } from "commander";
import { exitCodes } from "../../terminal/cli-error.ts";
import { withEvalOptions, type EvalOptions } from "../../options/eval-options.ts";

/** `rehearsal eval` */
export function declare(command: Command): void {
  withEvalOptions(command, "scenario files, folders or patterns, - for standard input")
    .addHelpText("after", examples)
    .action(evaluateFiles);
}

async function evaluateFiles(files: readonly string[], options: EvalOptions): Promise<void> {
  if (options.watch) {
    const { watchScenarios } = await import("../../eval/watch-scenarios.ts");
    return watchScenarios(files, options);
  }
  const { runEval } = await import("../../eval/run-eval.ts");
  const exitCode = await runEval(files, options);
  if (exitCode !== exitCodes.ok) process.exitCode = exitCode;
}

const examples = `
Examples:
  rehearsal eval scenarios/ --model demo/retrieval --attempts 3
  rehearsal eval chats.jsonl --endpoint https://api.example.com/v1 --model small-1 --gate 'overall.ci_lower>=0.7'
  rehearsal eval --model new-model --baseline latest --not-worse-by 0.02
  rehearsal eval --models old-model,new-model --until-decided --max-cost 5
  rehearsal eval --baseline latest --reporter line -o results.json -o report.html
  rehearsal eval --watch`;
