import type { Run } from "../contract/schemas/run.ts";
import { ownCommand } from "./next-command.ts";
import type { SourceOptions } from "./options.ts";
import { wordsWhere } from "./words-where.ts";

/** What can be typed for a run that nobody carries out any more. Only the machine it was made on goes on with it. */
export function waysOn({ run_id }: Pick<Run, "run_id">, where: SourceOptions): string {
  const { server: _, ...local } = where;
  const resume = ownCommand("eval --resume", run_id, ...wordsWhere(local));
  return `${resume} goes on with it, ${ownCommand("cancel", run_id, ...wordsWhere(where))} ends it.`;
}
