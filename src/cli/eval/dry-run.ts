import type { Range, RunEstimate } from "../../contract/schemas/budget.ts";
import { shownEndpoint } from "../../base/secret.ts";
import { add } from "../../evaluation/range.ts";
import { ownAgent } from "../config/endpoint.ts";
import type { SourceOptions } from "../options.ts";
import { openSource } from "../sources/open-source.ts";
import { counted } from "../terminal/figures.ts";
import { printJson, tell } from "../terminal/output.ts";
import type { PlannedRun } from "./plan-runs.ts";

/** Says what an evaluation would do, and take where earlier runs or rules of thumb can tell. Calls no model. */
export async function printPlan(
  planned: readonly PlannedRun[],
  { json, endpoint: asked, ...where }: SourceOptions & { json?: boolean; endpoint: string },
): Promise<void> {
  const endpoint = shownEndpoint(asked);
  await using source = await openSource(where);
  const runs = [];
  for (const { request, scenarios, turns, attempts } of planned) {
    const { test_name, model_id } = request;
    // What a run would be refused for is refused here: that is what the dry run is asked for.
    const estimate = await source.estimate(request);
    const calls = estimate.model_calls.expected;
    runs.push({ test_name, endpoint, model_id, scenarios, turns, attempts, calls, estimate });
  }
  const calls = runs.reduce((sum, run) => sum + run.calls, 0);
  if (json) return printJson({ runs, calls });
  const target = endpoint === ownAgent ? "Rehearsal's own agent" : endpoint;
  for (const run of runs) {
    const size = [counted(run.scenarios, "scenario"), counted(run.turns, "turn"), counted(run.attempts, "attempt")];
    tell(`${run.test_name} on ${run.model_id} at ${target}: ${size.join(", ")} = ${callsText(run.estimate)}`);
    tell(`  ${sentenceOf(run.estimate)}`);
    for (const { pointer, message } of run.estimate.warnings ?? []) tell(`  ${pointer} ${message}`);
  }
  if (runs.length > 1) tell(`${callsIn(runs.map(({ estimate }) => estimate.calls).reduce(add))} in all`);
}

/** The sentence after it counts all calls: without the others its number would contradict this one. */
function callsText({ model_calls, helper_calls }: RunEstimate): string {
  const others = helper_calls.high > 0 ? ` and ${figuresIn(helper_calls)} of judge or labeller` : "";
  return `${callsIn(model_calls)}${others}`;
}

const figuresIn = ({ low, high }: Range): string => (low < high ? `${low} to ${high}` : String(high));

const callsIn = (range: Range): string => `${figuresIn(range)} ${range.high === 1 ? "call" : "calls"}`;

const sentenceOf = ({ sentence, based_on }: RunEstimate): string => `${sentence} (${based_on})`;
