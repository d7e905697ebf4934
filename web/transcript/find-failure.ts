import type { EvaluationResponse, ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import { listRunScenarios } from "../api.ts";
import { isFailure } from "../../src/contract/schemas/outcome.ts";
import type { RunScenario, RunScenarioQuery } from "../run/run-scenario-list.ts";
import { listedScenarios } from "../run/scenario-rows.ts";
import { failureOnwards, neighbourFailure, type TurnPlace } from "./failure-order.ts";

interface Direction {
  readonly from: TurnPlace;
  readonly step: 1 | -1;
}

/** The next failure of a run whose results are all here. */
export const findFailureHere = (results: EvaluationResponse, direction: Direction): TurnPlace | null =>
  neighbourFailure(
    listedScenarios(results).map(({ scenario }) => scenario),
    direction,
  );

/** The next failure of a large run: in this scenario, or else in the one listed next to it. */
export async function findFailureBeyond(
  runId: string,
  { scenario, direction }: { scenario: ScenarioResult; direction: Direction },
): Promise<TurnPlace | null> {
  const near = failureOnwards([scenario], direction);
  if (near) return near;
  const { step } = direction;
  const ask = (query: RunScenarioQuery) => listRunScenarios(runId, query, new AbortController().signal);
  const around = await ask({ around: scenario.scenario_id, limit: 3 });
  const here = around.scenarios.findIndex(({ scenario_id }) => scenario_id === scenario.scenario_id);
  const beside = toPlace(around.scenarios[here + step], step);
  if (beside) return beside;
  const failing = around.counts.failing + around.counts.flaky;
  if (failing === 0) return null;
  const ends = await ask({ offset: step === 1 ? 0 : failing - 1, limit: 1 });
  return toPlace(ends.scenarios[0], step);
}

/** Where a failing scenario is entered: its first failed attempt, or going back its last. */
function toPlace(row: RunScenario | undefined, step: 1 | -1): TurnPlace | null {
  const failed = row?.attempts.filter(({ outcome }) => isFailure(outcome)) ?? [];
  const attempt = step === 1 ? failed[0] : failed.at(-1);
  return row && attempt ? { scenarioId: row.scenario_id, attempt: attempt.attempt, turn: undefined } : null;
}
