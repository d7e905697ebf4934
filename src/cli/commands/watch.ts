import type { Command } from "commander";
import type { EvalOptions } from "../eval/eval-settings.ts";
import { withSource } from "../options.ts";
import { withEvalOptions } from "./eval.ts";

/** `rehearsal watch` */
export function declare(command: Command): void {
  const declared = withEvalOptions(withSource(command));
  declared.options.find(({ long }) => long === "--resume")?.hideHelp();
  const [files] = declared.registeredArguments;
  if (files) files.description = files.description.replace(", - for standard input", "");
  declared.action(async (files: readonly string[], options: EvalOptions) => {
    const { watchScenarios } = await import("../watch/watch-scenarios.ts");
    await watchScenarios(files, options);
  });
}
