import type { ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import { isFailure, thresholdOf, turnOutcome } from "../../src/contract/schemas/outcome.ts";

export interface TurnPosition {
  readonly scenarioId: string;
  readonly attempt: number;
  /** Index in the scenario; undefined for the first failure of the attempt. */
  readonly turn: number | undefined;
}

export const hasFailure = (scenarios: readonly ScenarioResult[]): boolean =>
  listTurns(scenarios).some(({ failing }) => failing);

/** Where a search for failures starts, and its direction. */
export interface FailureSearch {
  readonly from: TurnPosition;
  readonly step: 1 | -1;
}

/** The failing turn after (or before) `from`; null if there is none. */
export function nextFailure(scenarios: readonly ScenarioResult[], { from, step }: FailureSearch): TurnPosition | null {
  const all = [...listTurns(scenarios)];
  const start = all.findIndex(
    (place) => place.scenarioId === from.scenarioId && place.attempt === from.attempt && place.turn === from.turn,
  );
  const rest = step === 1 ? all.slice(start + 1) : all.slice(0, Math.max(0, start)).toReversed();
  return rest.find(({ failing }) => failing) ?? null;
}

/** The same, wrapping around at the end; null if nothing fails. */
export function nextFailureWrapping(
  scenarios: readonly ScenarioResult[],
  { from, step }: FailureSearch,
): TurnPosition | null {
  const onwards = nextFailure(scenarios, { from, step });
  if (onwards) return onwards;
  const all = [...listTurns(scenarios)];
  return (step === 1 ? all : all.toReversed()).find(({ failing }) => failing) ?? null;
}

/** Why a turn failed, with enough digits to show that the score is below the threshold. */
export function belowThresholdText(overall: number, threshold: number): string {
  const limit = Number(threshold.toFixed(2)) === threshold ? threshold.toFixed(2) : String(threshold);
  const looksBelow = Number(overall.toFixed(2)) < threshold;
  return `overall ${looksBelow ? "" : `${Math.floor(overall * 10_000) / 10_000} is `}below ${limit}`;
}

/** Every turn with its verdict, in list order. */
function* listTurns(scenarios: readonly ScenarioResult[]): Generator<TurnPosition & { failing: boolean }> {
  for (const scenario of scenarios) {
    const threshold = thresholdOf(scenario);
    for (const { attempt, interactions } of scenario.attempts) {
      for (const interaction of interactions) {
        const failing = isFailure(turnOutcome(interaction, threshold));
        yield { scenarioId: scenario.scenario_id, attempt, turn: interaction.turn_index, failing };
      }
    }
  }
}
