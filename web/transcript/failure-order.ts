import type { ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import { isFailure, thresholdOf, turnOutcome } from "../../src/contract/schemas/outcome.ts";

export interface TurnPlace {
  readonly scenarioId: string;
  readonly attempt: number;
  /** Its index in the scenario. Undefined: the first bad one of the attempt. */
  readonly turn: number | undefined;
}

/** Every turn with its verdict, in the order it is listed. */
function* places(scenarios: readonly ScenarioResult[]): Generator<TurnPlace & { failing: boolean }> {
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

export const hasFailure = (scenarios: readonly ScenarioResult[]): boolean =>
  places(scenarios).some(({ failing }) => failing);

interface Direction {
  readonly from: TurnPlace;
  readonly step: 1 | -1;
}

/** The failing turn after (or before) `from`. Null when there is none up to the end. */
export function failureOnwards(scenarios: readonly ScenarioResult[], { from, step }: Direction): TurnPlace | null {
  const all = [...places(scenarios)];
  const start = all.findIndex(
    (place) => place.scenarioId === from.scenarioId && place.attempt === from.attempt && place.turn === from.turn,
  );
  const rest = step === 1 ? all.slice(start + 1) : all.slice(0, Math.max(0, start)).toReversed();
  return rest.find(({ failing }) => failing) ?? null;
}

/** The same, going round at the end. Null when nothing fails. */
export function neighbourFailure(scenarios: readonly ScenarioResult[], { from, step }: Direction): TurnPlace | null {
  const onwards = failureOnwards(scenarios, { from, step });
  if (onwards) return onwards;
  const all = [...places(scenarios)];
  return (step === 1 ? all : all.toReversed()).find(({ failing }) => failing) ?? null;
}
