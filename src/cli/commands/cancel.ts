import type { Command } from "commander";
import { withSource, type SourceOptions } from "../options.ts";
import { findRun } from "../sources/find-run.ts";
import { openSource } from "../sources/open-source.ts";
import { printJson, tell } from "../terminal/output.ts";

/** `rehearsal cancel` */
export function declare(command: Command): void {
  withSource(command.argument("<run>", "id of the run, part of it, a test's name, or latest"))
    .option("--json", "print the run as one JSON object")
    .action(cancel);
}

async function cancel(text: string, { json, ...where }: SourceOptions & { json?: boolean }): Promise<void> {
  await using source = await openSource(where);
  const run = await source.cancel(await findRun(source, text));
  if (json) printJson(run);
  else tell(`${run.run_id} ${run.state}: ${run.message}`);
}
