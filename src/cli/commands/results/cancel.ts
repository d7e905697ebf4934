import type { Command } from "commander";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";
import { resolveRunId } from "../../sources/run-source.ts";
import { openSource } from "../../sources/open-source.ts";
import { printJson, printMessage } from "../../terminal/output.ts";

/** `rehearsal runs cancel` */
export function declare(command: Command): void {
  withSource(command.argument("<run>", "id of the run, part of it, a test's name, or latest"))
    .option("--json", "print the run as one JSON object")
    .action(cancel);
}

async function cancel(text: string, { json, ...where }: SourceOptions & { json?: boolean }): Promise<void> {
  await using source = await openSource(where);
  const run = await source.cancel(await resolveRunId(source, text));
  if (json) printJson(run);
  else printMessage(`${run.run_id} ${run.state}: ${run.message}`);
}
