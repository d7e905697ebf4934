import type { RunComparison } from "../contract/schemas/comparison.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { Store } from "../contract/ports/store.ts";
import { changedInteractions } from "../evaluation/comparison/changed-interactions.ts";
import type { Comparison } from "../evaluation/comparison/compare-runs.ts";
import { comparedAttempts, notesOnFailed } from "./compared-attempts.ts";
import { aboutRun } from "./about-run.ts";
import { compareSides } from "./compare-sides.ts";
import { failedInRuns } from "./failed-in-runs.ts";
import { findRun } from "./find-run.ts";
import { settingChanges, type AskedWith } from "./setting-changes.ts";
import { tallyRun, type TalliedRun } from "./tally-run.ts";

const mostChanged = 200;

/**
 * Compares two stored runs, reading each turn by turn: memory grows with the interactions of the suites, not with attempts or
 * texts. What cannot be compared is refused with the reason, in the answer.
 */
export async function compareStoredRuns(
  store: Store,
  baselineId: string,
  candidateId: string,
  { owner }: { owner?: string | null } = {},
): Promise<RunComparison> {
  // Both are found before either is read: nobody would wait for the reading of one when the other is missing.
  const found = [await findRun(store, baselineId, owner), await findRun(store, candidateId, owner)] as const;
  const attempts = comparedAttempts(found[0].settings, found[1].settings);
  const failed = await failedInRuns(store, found);
  const counted = { attempts: attempts.most, failed };
  const [baseline, candidate] = await Promise.all([
    tallyRun(store, found[0], counted),
    tallyRun(store, found[1], counted),
  ]);
  const about = {
    baseline: aboutRun(baseline.run),
    candidate: aboutRun(candidate.run),
    settings: settingChanges(sideOf(baseline), sideOf(candidate)),
  };
  const { comparison, leaveOut, ...compared } = compareSides(baseline, candidate);
  const notes = [...attempts.notes, ...notesOnFailed(failed, attempts), ...compared.notes];
  if (!comparison.comparable) return { ...about, ...refused(comparison.reason, comparison.unpaired), notes };
  const { changed, ...counts } = changedInteractions(baseline.tally, candidate.tally, { leaveOut, most: mostChanged });
  const messages = messagesOf(candidate.scenarios);
  return {
    ...about,
    comparable: true,
    reason: null,
    verdict: comparison.verdict,
    sentence: comparison.sentence,
    scores: comparison.scores.map((score) => ({ ...score })),
    unpaired: comparison.unpaired,
    notes,
    ...counts,
    changed: changed.map((entry) => ({
      ...entry,
      user_message: messages.get(`${entry.scenario_id}\n${entry.interaction_id}`) ?? "",
    })),
  };
}

function refused(reason: string, unpaired: Comparison["unpaired"]) {
  return {
    comparable: false,
    reason,
    verdict: null,
    sentence: `Not comparable. ${reason}`,
    scores: [],
    unpaired,
    notes: [],
    changed: [],
    regressions: 0,
    improvements: 0,
  };
}

const sideOf = ({ run: { settings, tied }, scenarios }: TalliedRun): AskedWith => ({
  settings,
  scenarios,
  ownAgent: tied,
});

function messagesOf(scenarios: readonly Scenario[]): Map<string, string> {
  return new Map(
    scenarios.flatMap((scenario) =>
      scenario.interactions.map(({ id, user_message }): [string, string] => [`${scenario.id}\n${id}`, user_message]),
    ),
  );
}
