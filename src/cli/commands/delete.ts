import type { Command } from "commander";
import { withSource, type SourceOptions } from "../options.ts";
import { findRun } from "../sources/find-run.ts";
import { openSource } from "../sources/open-source.ts";
import { printJson, printLine } from "../terminal/output.ts";

/** `rehearsal delete` */
export function declare(command: Command): void {
  withSource(command.argument("<run...>", "ids of the runs, or parts of them"))
    .option("--json", "print what was deleted as one JSON object")
    .action(remove);
}

async function remove(texts: readonly string[], { json, ...where }: SourceOptions & { json?: boolean }): Promise<void> {
  await using source = await openSource(where);
  const ids = new Set<string>();
  // All are found before the first is deleted: a mistyped one deletes nothing.
  for (const text of texts) ids.add(await findRun(source, text));
  for (const id of ids) await source.delete(id);
  if (json) printJson({ deleted: [...ids] });
  else for (const id of ids) printLine(`deleted ${id}`);
}
