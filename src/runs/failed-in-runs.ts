import type { RunRecord, Store } from "../contract/ports/store.ts";
import { createFailedReplies, type FailedReplies } from "../evaluation/comparison/run-tally.ts";

/** What any of these runs failed to reply to. Those that failed nothing are not read. */
export async function failedInRuns(store: Store, runs: readonly RunRecord[]): Promise<FailedReplies> {
  const failed = createFailedReplies();
  for (const { id } of runs.filter(({ summary }) => summary?.failed !== 0)) {
    const scenarios = await store.runs.scenarios(id);
    for await (const turns of store.interactions.scored(id, { failed: true })) {
      for (const { scenario_index, turn_index, attempt, scores } of turns) {
        const scenario = scenarios[scenario_index];
        const interaction = scenario?.interactions[turn_index];
        if (!scenario || !interaction) continue;
        failed.add({ scenario_id: scenario.id, interaction_id: interaction.id, attempt, scores });
      }
    }
  }
  return failed;
}
