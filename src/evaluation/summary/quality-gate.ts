import { compact } from "../../base/compact.ts";
import { reaches } from "../../base/numbers.ts";
import type { Gate, GateResult } from "../../contract/schemas/budget.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { mean } from "../statistics/descriptive.ts";
import { meansWithMissing, meanWithMissing } from "./missing-replies.ts";
import { leftOut } from "./left-out.ts";

export interface GateFigures {
  readonly average_scores: Scores;
  readonly scenarios: readonly { readonly scenario_id: string; readonly average_scores: Scores }[];
  readonly interactions: number;
  readonly failed: number;
  /** Replies whose scoring failed. */
  readonly unscored: number;
  /** Attempts in which a score could not be decided, by its name. */
  readonly undecided?: ReadonlyMap<string, number>;
  readonly attempts: { readonly counted: number; readonly passed: number };
  /** Planned scenarios without a finished attempt. */
  readonly unfinished: readonly string[];
  /** Attempts with a simulated user, and those it spoiled. */
  readonly simulated_users?: { readonly attempts: number; readonly failed: number } | null;
}

/** Limits the length of the summary when a gate fails everywhere. */
const maximumScenarios = 50;

/**
 * Checks a run's figures against its gate. Missing figures fail; by default, so does any failed reply. Where failed replies are
 * allowed, they count as 0 in every score.
 */
export function checkGate(gate: Gate, figures: GateFigures): GateResult {
  const checks: GateResult["checks"] = [];
  const atLeast = (name: string, required: number, actual: number | undefined | null, scenario_id?: string): void => {
    const isReached = actual !== undefined && actual !== null && reaches(actual, required);
    const place = scenario_id === undefined ? {} : { scenario_id };
    // The mean of the attempts that could be decided says nothing about the others.
    const isOpen = isUndecided(name, figures) && (isReached || actual === undefined || actual === null);
    const passed = isReached && !isOpen;
    checks.push(
      compact({
        name,
        ...place,
        required,
        actual: actual ?? null,
        passed,
        undecided: isOpen || undefined,
      }),
    );
  };
  for (const [name, required] of Object.entries(gate.scores ?? {})) {
    const counted = meansWithMissing(figures.scenarios, name);
    atLeast(name, required, counted ? mean(counted) : ownScore(figures.average_scores, name));
  }
  for (const [name, required] of Object.entries(gate.scenario_scores ?? {})) {
    for (const scenario of figures.scenarios)
      atLeast(name, required, meanWithMissing(scenario, name), scenario.scenario_id);
  }
  if (gate.min_pass_rate !== undefined) {
    const { counted, passed } = figures.attempts;
    atLeast("pass_rate", gate.min_pass_rate, counted === 0 ? null : passed / counted);
  }
  const limit = gate.max_failure_rate ?? 0;
  const atMost = (name: string, count: number): void => {
    const rate = figures.interactions === 0 ? null : count / figures.interactions;
    checks.push({ name, required: limit, actual: rate, passed: rate !== null && rate <= limit });
  };
  atMost("failure_rate", figures.failed);
  // The mean of the replies that a failing judge did score is not representative.
  if (figures.unscored > 0) atMost("unscored_rate", figures.unscored);
  const left = leftOut(figures.simulated_users, gate.max_simulator_failures);
  if (gate.max_simulator_failures !== undefined || left?.isTooMuch) {
    const required = left?.limit ?? gate.max_simulator_failures ?? 0;
    const passed = left !== null && !left.isTooMuch;
    checks.push({ name: "simulator_failure_rate", required, actual: left?.share ?? null, passed });
  }
  // A run that stopped early has not shown that all scenarios pass.
  for (const scenario_id of figures.unfinished) atLeast("finished_attempts", 1, 0, scenario_id);
  return { passed: checks.every((check) => check.passed), checks: shortenSentence(checks) };
}

/** The pass rate is that of `outcome` and `overall`. */
function isUndecided(name: string, { undecided = new Map() }: GateFigures): boolean {
  if (name === "pass_rate") return undecided.has("outcome") || undecided.has("overall");
  return undecided.has(name);
}

/** Gate names come from the caller and may be `constructor`. */
function ownScore(scores: Scores, name: string): number | undefined {
  return Object.hasOwn(scores, name) ? scores[name] : undefined;
}

/** All checks of the run, then those of scenarios, failed ones first. */
function shortenSentence(checks: GateResult["checks"]): GateResult["checks"] {
  const ofRun = checks.filter(({ scenario_id }) => scenario_id === undefined);
  const ofScenarios = checks.filter(({ scenario_id }) => scenario_id !== undefined);
  return [
    ...ofRun,
    ...ofScenarios.toSorted((left, right) => Number(left.passed) - Number(right.passed)).slice(0, maximumScenarios),
  ];
}
