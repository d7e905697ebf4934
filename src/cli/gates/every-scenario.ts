import { counted } from "../../base/text.ts";
import type { RunDigest, ScenarioDigest } from "../../formats/export/results/run-digest.ts";
import { isFailing, isUndecided } from "../../formats/export/results/verdict.ts";
import { plainLine } from "../terminal/text.ts";
import { undecidedText, type GateCheck } from "./evaluate-gates.ts";

const gate = "every scenario passes";
const shownIds = 3;

/**
 * The gate of a run whose user gave none. Fails when a scenario did not pass. Undecided when a scenario that expects something has
 * no verdict, or none has one. A scenario that expects nothing does not block the others.
 */
export function evaluateScenarios({ scenarios }: Pick<RunDigest, "scenarios">): GateCheck {
  const failing = scenarios.filter(({ verdict }) => isFailing(verdict) && !isUndecided(verdict));
  const open = scenarios.filter(({ verdict, expects }) => isUndecided(verdict) && (expects || hasNoAttempt(verdict)));
  const passing = scenarios.filter(({ verdict }) => verdict.outcome === "passed").length;
  const silent = scenarios.length - failing.length - open.length - passing;
  const asked = scenarios.length - silent;
  const actual = asked === 0 ? null : passing / asked;
  const others = silent > 0 ? ` Not scored, without an expectation: ${counted(silent, "scenario")}.` : "";
  if (failing.length > 0) {
    const message = `${gate}: ${passing} of ${asked} do, failed. Did not pass: ${namedScenarios(failing)}.${others}`;
    return { gate, passed: false, actual, message };
  }
  if (open.length > 0) {
    const message = `${gate}: ${undecidedText(false)}. Without a verdict: ${namedScenarios(open)}.${whyOpen(open)}${others}`;
    return { gate, passed: false, undecided: true, actual, message };
  }
  if (passing === 0) {
    const message = `${gate}: ${undecidedText(false)}. No scenario says what to expect: give checks, expect, labels or a judge (--no-gate only looks).`;
    return { gate, passed: false, undecided: true, actual, message };
  }
  return { gate, passed: true, actual, message: `${gate}: ${passing} of ${asked} do, passed.${others}` };
}

/** Without an attempt that counts, nothing shows whether the scenario expects something. */
function hasNoAttempt({ outcome }: ScenarioDigest["verdict"]): boolean {
  return outcome === "not_run" || outcome === "simulator_failed";
}

function namedScenarios(scenarios: readonly ScenarioDigest[]): string {
  const ids = scenarios.slice(0, shownIds).map(({ scenario_id }) => plainLine(scenario_id, 60));
  const more = scenarios.length - ids.length;
  return `${ids.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A reference reply is shown beside the reply, and proves nothing by itself. */
function whyOpen(open: readonly ScenarioDigest[]): string {
  const isCompared = open.some(({ verdict, hasOutcome }) => verdict.outcome === "unscored" && !hasOutcome);
  return isCompared
    ? " A reference reply alone, or a rubric without a judge, decides nothing: add a check, expect, labels or a judge."
    : "";
}
