import type { RunComparison } from "../contract/comparison.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { RunRecord, Store } from "../contract/store.ts";
import { changedInteractions } from "../evaluation/comparison/changed-interactions.ts";
import type { Comparison } from "../evaluation/comparison/compare-runs.ts";
import { createRunTally, type RunTally } from "../evaluation/comparison/run-tally.ts";
import { comparedAttempts } from "./compared-attempts.ts";
import { compareSides, type ComparedSide } from "./compare-sides.ts";
import { createEmbedderBaselines } from "./embedder-baselines.ts";
import { measuresOf } from "./measures-of.ts";
import { findRun } from "./find-run.ts";
import { settingChanges, type AskedWith } from "./setting-changes.ts";

const mostChanged = 200;

interface TalliedRun extends ComparedSide {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
}

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
  const [baseline, candidate] = await Promise.all([
    tallyRun(store, found[0], attempts.baseline),
    tallyRun(store, found[1], attempts.candidate),
  ]);
  const about = {
    baseline: describe(baseline.run),
    candidate: describe(candidate.run),
    settings: settingChanges(sideOf(baseline), sideOf(candidate)),
  };
  const { comparison, leaveOut, ...compared } = compareSides(baseline, candidate);
  const notes = [...attempts.notes, ...compared.notes];
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

/** Takes the first so many attempts of each scenario. */
async function tallyRun(store: Store, run: RunRecord, attempts: number): Promise<TalliedRun> {
  const scenarios = await store.runs.scenarios(run.id);
  const tally = createRunTally();
  const embedders = createEmbedderBaselines();
  for await (const turns of store.interactions.scored(run.id)) {
    for (const { scenario_index, attempt, turn_index, embedder, baseline, ...scored } of turns) {
      if (attempt > attempts) continue;
      // Turns behind those of the scenario belong to the second pass, which is no part of a run's figures.
      const scenario = scenarios[scenario_index];
      const interaction = scenario?.interactions[turn_index];
      if (!scenario || !interaction) continue;
      if (embedder !== null) embedders.add({ embedder, baseline: baseline ?? 0 });
      tally.add({ scenario_id: scenario.id, interaction, ...scored });
    }
  }
  const { state, settings, summary } = run;
  const { history } = settings;
  return {
    run,
    scenarios,
    state,
    rescored: summary?.rescored,
    history,
    measures: measuresOf(settings),
    embedders,
    tally: inOrder(tally, scenarios),
  };
}

/** Turns come in the order they were stored, which is chance; the comparison follows the suite. */
function inOrder(tally: RunTally, scenarios: readonly Scenario[]): RunTally {
  const ordered = scenarios.flatMap(({ id, interactions }) => {
    const tallied = tally.scenarios.get(id);
    if (!tallied) return [];
    const turns = interactions.flatMap((turn) => {
      const entry = tallied.get(turn.id);
      return entry ? [[turn.id, entry] as const] : [];
    });
    return [[id, new Map(turns)] as const];
  });
  return { ...tally, scenarios: new Map(ordered) };
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

function describe({ id, settings, demo }: RunRecord): RunComparison["baseline"] {
  const { test_name, model_id, endpoint } = settings;
  return { run_id: id, test_name, model_id, endpoint, demo };
}

function messagesOf(scenarios: readonly Scenario[]): Map<string, string> {
  return new Map(
    scenarios.flatMap((scenario) =>
      scenario.interactions.map(({ id, user_message }): [string, string] => [`${scenario.id}\n${id}`, user_message]),
    ),
  );
}
