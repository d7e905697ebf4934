import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { PersonVerdict, ScoreAgreements } from "../../contract/schemas/judging/score-agreement.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { readReplyVerdicts } from "../stored/reply-verdicts.ts";
import { scoreAgreement, type RatedReply } from "../../evaluation/comparison/score-agreement.ts";

/**
 * Correlates every score of a run with people's verdicts on its replies: the given ones, else those stored with the run. Several
 * verdicts on one reply count as their mean.
 */
export async function agreeWithPeople(
  store: Store,
  run: RunRecord,
  given: readonly PersonVerdict[] | undefined,
): Promise<ScoreAgreements> {
  const scenarios = await store.runs.scenarios(run.id);
  const verdicts = given ?? (await storedVerdicts(store, run, scenarios));
  const replies = new Map<string, Scores>();
  for await (const turns of store.interactions.scored(run.id))
    for (const { scenario_index, attempt, turn_index, scores } of turns) {
      const scenario = scenarios[scenario_index];
      const interaction = scenario?.interactions[turn_index];
      if (scenario && interaction)
        replies.set(judgedReplyKey({ scenario_id: scenario.id, attempt, interaction_id: interaction.id }), scores);
    }
  return { run_id: run.id, ...correlate(replies, verdicts) };
}

async function storedVerdicts(
  store: Store,
  run: RunRecord,
  scenarios: readonly Scenario[],
): Promise<readonly PersonVerdict[]> {
  const verdicts = await readReplyVerdicts(store, run.id);
  return verdicts.flatMap(({ scenario_index, attempt, turn_index, value }) => {
    const scenario = scenarios[scenario_index];
    const interaction = scenario?.interactions[turn_index];
    return scenario && interaction
      ? [{ scenario_id: scenario.id, attempt, interaction_id: interaction.id, value }]
      : [];
  });
}

type JudgedPlace = Pick<PersonVerdict, "scenario_id" | "attempt" | "interaction_id">;

export const judgedReplyKey = ({ scenario_id, attempt, interaction_id }: JudgedPlace): string =>
  JSON.stringify([scenario_id, attempt, interaction_id]);

/** For replies from a store or from a results file, by their key. */
export function correlate(
  replies: ReadonlyMap<string, Scores>,
  verdicts: readonly PersonVerdict[],
): Omit<ScoreAgreements, "run_id"> {
  const given = Map.groupBy(verdicts, judgedReplyKey);
  const judged = [...given].flatMap(([key, group]): RatedReply[] => {
    const scores = replies.get(key);
    const verdict = group.reduce((sum, { value }) => sum + value, 0) / group.length;
    return scores ? [{ scenario: group[0]?.scenario_id ?? "", scores, verdict }] : [];
  });
  const missing = given.size - judged.length;
  return {
    verdicts: judged.length,
    scores: scoreAgreement(judged),
    notes: [
      ...(given.size === 0 ? ["No person has judged a reply of this run."] : []),
      ...(missing > 0
        ? [`${missing} ${missing === 1 ? "verdict is" : "verdicts are"} on no scored reply of this run.`]
        : []),
    ],
  };
}
