import { counted } from "../terminal/figures.ts";
import { printJson, printLine } from "../terminal/output.ts";
import type { PlannedRun } from "./plan-runs.ts";

/** Says what an evaluation would do. */
export function printPlan(planned: readonly PlannedRun[], json: boolean): void {
  const runs = planned.map(({ request, scenarios, turns, attempts }) => ({
    test_name: request.test_name,
    endpoint: request.endpoint,
    model_id: request.model_id,
    scenarios,
    turns,
    attempts,
    calls: turns * attempts * (request.history === "both" ? 2 : 1),
  }));
  const calls = runs.reduce((sum, run) => sum + run.calls, 0);
  if (json) return printJson({ runs, calls });
  for (const { test_name, model_id, endpoint, scenarios, turns, attempts, calls: own } of runs) {
    const size = `${counted(scenarios, "scenario")}, ${counted(turns, "turn")}, ${counted(attempts, "attempt")}`;
    printLine(`${test_name} on ${model_id} at ${endpoint}: ${size} = ${counted(own, "call")}`);
  }
  if (runs.length > 1) printLine(`${counted(calls, "call")} in all`);
}
