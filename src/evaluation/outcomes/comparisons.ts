import { compareConditions } from "../tools/conditions.ts";
import { compareOutcome } from "./outcome.ts";
import { createProbes, type ComparisonTask, type ProbeSession } from "../tools/probes.ts";
import { compareTurn } from "../tools/score-calls.ts";

/** Comparisons that may be made on another thread, by kind. */
const comparisons: Readonly<Record<ComparisonTask["kind"], (input: never, session: ProbeSession) => unknown>> = {
  calls: compareTurn,
  outcome: compareOutcome,
  conditions: compareConditions,
};

/** Makes a comparison without a limit, on a thread that has one. */
export function makeComparison({ kind, input }: ComparisonTask): unknown {
  return comparisons[kind](input as never, createProbes().open());
}
