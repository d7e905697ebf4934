import type { Interaction } from "../../contract/scenario.ts";
import type { Scores } from "../../contract/score.ts";

/** Mean scores of one interaction over the attempts of a run. */
export interface TalliedInteraction {
  /** What was asked and expected. A comparison of different questions would say nothing. */
  readonly content: string;
  readonly sums: Map<string, { sum: number; count: number }>;
}

/** scenario id → interaction id → what a run scored there. */
export type TalliedScenarios = ReadonlyMap<string, ReadonlyMap<string, TalliedInteraction>>;

/** One run, made ready to be compared: fed interaction by interaction, its memory does not grow with attempts. */
export interface RunTally {
  add(entry: { scenario_id: string; interaction: Interaction; scores: Scores; scoring_version: string }): void;
  readonly scenarios: TalliedScenarios;
  readonly scoring_versions: ReadonlySet<string>;
}

export function createRunTally(): RunTally {
  const scenarios = new Map<string, Map<string, TalliedInteraction>>();
  const scoring_versions = new Set<string>();

  return {
    scenarios,
    scoring_versions,
    add({ scenario_id, interaction, scores, scoring_version }) {
      scoring_versions.add(scoring_version);
      const interactions = scenarios.get(scenario_id) ?? new Map<string, TalliedInteraction>();
      scenarios.set(scenario_id, interactions);
      const tallied = interactions.get(interaction.id) ?? { content: contentOf(interaction), sums: new Map() };
      interactions.set(interaction.id, tallied);
      for (const name in scores) {
        const value = scores[name] as number;
        const entry = tallied.sums.get(name);
        if (entry) {
          entry.sum += value;
          entry.count++;
        } else tallied.sums.set(name, { sum: value, count: 1 });
      }
    },
  };
}

function contentOf({ user_message, reference_reply, references = [], reference_metadata }: Interaction): string {
  const labels = Object.entries(reference_metadata).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([user_message, reference_reply, references, labels]);
}
