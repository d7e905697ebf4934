import type { Command } from "commander";
import type { EvalOptions } from "../eval/eval-settings.ts";
import { withSource } from "../options.ts";
import { withEvalOptions } from "./eval.ts";

/** `rehearsal watch` */
export function declare(command: Command): void {
  withEvalOptions(withSource(command)).action(async (files: readonly string[], options: EvalOptions) => {
    const { watchScenarios } = await import("../watch/watch-scenarios.ts");
    await watchScenarios(files, options);
  });
}
