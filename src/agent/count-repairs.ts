import type { LimitReason } from "./agent-limits.ts";
import type { AgentRun } from "./agent-run.ts";

/** No tool has this name: all that are not there share it, or a model that makes up a new one each time would go on for ever. */
export const unknownTool = "";

/** Counts one more repair of each of these tools. */
export function countRepairs(run: AgentRun, names: Iterable<string>): LimitReason | null {
  let limit: LimitReason | null = null;
  for (const name of names) {
    const repairs = (run.repairsByName.get(name) ?? 0) + 1;
    run.repairsByName.set(name, repairs);
    if (repairs <= run.limits.repairs) run.repairs += 1;
    else limit = "repair_limit";
  }
  return limit;
}
