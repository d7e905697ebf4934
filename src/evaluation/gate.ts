import { reaches } from "../base/numbers.ts";
import type { Gate, GateResult } from "../contract/schemas/budget.ts";
import type { Scores } from "../contract/schemas/score.ts";

export interface GateFigures {
  readonly average_scores: Scores;
  readonly scenarios: readonly { readonly scenario_id: string; readonly average_scores: Scores }[];
  readonly interactions: number;
  readonly failed: number;
  /** Replies whose scoring failed. */
  readonly unscored: number;
  readonly attempts: { readonly counted: number; readonly passed: number };
  /** Planned scenarios of which no attempt was carried out to its end. */
  readonly unfinished: readonly string[];
}

/** Failing scenarios named at most: a gate that fails everywhere must not make the summary long. */
const mostScenarios = 50;

/** Whether a run reaches what was asked of it. What is missing does not pass; failures count by default. */
export function checkGate(gate: Gate, figures: GateFigures): GateResult {
  const checks: GateResult["checks"] = [];
  const atLeast = (name: string, required: number, actual: number | undefined | null, scenario_id?: string): void => {
    const passed = actual !== undefined && actual !== null && reaches(actual, required);
    checks.push({ name, ...(scenario_id !== undefined && { scenario_id }), required, actual: actual ?? null, passed });
  };
  for (const [name, required] of Object.entries(gate.scores ?? {}))
    atLeast(name, required, ownScore(figures.average_scores, name));
  for (const [name, required] of Object.entries(gate.scenario_scores ?? {})) {
    for (const { scenario_id, average_scores } of figures.scenarios)
      atLeast(name, required, ownScore(average_scores, name), scenario_id);
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
  // A mean of the replies that a failing judge happened to read says nothing of the others.
  if (figures.unscored > 0) atMost("unscored_rate", figures.unscored);
  // Figures of some scenarios say nothing of the others: a run that stopped early has not shown what was asked.
  for (const scenario_id of figures.unfinished) atLeast("finished_attempts", 1, 0, scenario_id);
  return { passed: checks.every((check) => check.passed), checks: shorten(checks) };
}

/** A gate names what it likes, also what every object has. */
function ownScore(scores: Scores, name: string): number | undefined {
  return Object.hasOwn(scores, name) ? scores[name] : undefined;
}

/** All run checks, and of the scenario checks the failed ones first. */
function shorten(checks: GateResult["checks"]): GateResult["checks"] {
  const ofRun = checks.filter(({ scenario_id }) => scenario_id === undefined);
  const ofScenarios = checks.filter(({ scenario_id }) => scenario_id !== undefined);
  return [
    ...ofRun,
    ...ofScenarios.toSorted((left, right) => Number(left.passed) - Number(right.passed)).slice(0, mostScenarios),
  ];
}
