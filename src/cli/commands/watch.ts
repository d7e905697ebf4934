import type { Command } from "commander";
import type { EvalOptions } from "../eval/eval-options.ts";
import { withEvalOptions } from "../eval/eval-options.ts";

/** `rehearsal watch`, the former name of `rehearsal eval --watch` */
export function declare(command: Command): void {
  const declared = withEvalOptions(command, "scenario files, folders or patterns");
  declared.options.find(({ long }) => long === "--resume")?.hideHelp();
  declared.action(async (files: readonly string[], options: EvalOptions) => {
    const { watchScenarios } = await import("../eval/watch-scenarios.ts");
    await watchScenarios(files, options);
  });
}
