import type { Command } from "commander";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";
import { resolveRunId } from "../../sources/run-source.ts";
import { openSource } from "../../sources/open-source.ts";
import { printJson, printLine } from "../../terminal/output.ts";

/** `rehearsal runs delete` */
export function declare(command: Command): void {
  withSource(command.argument("<run...>", "ids of the runs, or parts of them"))
    .option("--json", "print the deleted ids as one JSON object")
    .action(remove);
}

async function remove(texts: readonly string[], { json, ...where }: SourceOptions & { json?: boolean }): Promise<void> {
  await using source = await openSource(where);
  const ids = new Set<string>();
  // All ids are resolved before the first run is deleted: a mistyped id deletes nothing.
  for (const text of texts) ids.add(await resolveRunId(source, text));
  for (const id of ids) await source.delete(id);
  if (json) printJson({ deleted: [...ids] });
  else for (const id of ids) printLine(`deleted ${id}`);
}
