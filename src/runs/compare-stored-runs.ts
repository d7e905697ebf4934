import { ServiceError } from "../contract/service-error.ts";
import type { RunComparison } from "../contract/comparison.ts";
import { finalStates } from "../contract/run.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { RunRecord, Store } from "../contract/store.ts";
import { changedInteractions } from "../evaluation/comparison/changed-interactions.ts";
import { compareRuns, type Comparison } from "../evaluation/comparison/compare-runs.ts";
import { createRunTally, type RunTally } from "../evaluation/comparison/run-tally.ts";
import { differingScores } from "./differing-scores.ts";

const mostChanged = 200;

interface TalliedRun {
  readonly run: RunRecord;
  readonly scenarios: readonly Scenario[];
  readonly tally: RunTally;
  /** Embedders and baselines its semantic scores were made with. */
  readonly embedders: ReadonlySet<string>;
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
  const [baseline, candidate] = await Promise.all([
    tallyRun(store, await findRun(store, baselineId, owner)),
    tallyRun(store, await findRun(store, candidateId, owner)),
  ]);
  const about = { baseline: describe(baseline.run), candidate: describe(candidate.run) };
  const reason = whyNot(baseline.run, candidate.run);
  if (reason !== null) return { ...about, ...refused(reason, { baseline_only: 0, candidate_only: 0, changed: 0 }) };

  const { leaveOut, notes } = differingScores(baseline, candidate);
  const comparison = compareRuns({ baseline: baseline.tally, candidate: candidate.tally, leaveOut });
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

async function findRun(store: Store, id: string, owner: string | null | undefined): Promise<RunRecord> {
  const run = await store.runs.get(id);
  if (!run || (owner !== undefined && run.owner !== owner)) {
    throw new ServiceError("run_not_found", `There is no run "${id.slice(0, 80)}".`);
  }
  return run;
}

async function tallyRun(store: Store, run: RunRecord): Promise<TalliedRun> {
  const scenarios = await store.runs.scenarios(run.id);
  const tally = createRunTally();
  const embedders = new Set<string>();
  for await (const turns of store.interactions.scored(run.id)) {
    for (const { scenario_index, turn_index, scores, scoring_version, embedder, baseline } of turns) {
      // Turns behind those of the scenario belong to the second pass, which is no part of a run's figures.
      const scenario = scenarios[scenario_index];
      const interaction = scenario?.interactions[turn_index];
      if (!scenario || !interaction) continue;
      if (embedder !== null) embedders.add(`${embedder} at ${(baseline ?? 0).toFixed(6)}`);
      tally.add({ scenario_id: scenario.id, interaction, scores, scoring_version });
    }
  }
  return { run, scenarios, tally: inOrder(tally, scenarios), embedders };
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

function whyNot(baseline: RunRecord, candidate: RunRecord): string | null {
  for (const [title, run] of [
    ["baseline", baseline],
    ["candidate", candidate],
  ] as const) {
    if (!finalStates.has(run.state)) return `The ${title} has not ended (${run.state}).`;
  }
  const mode = ({ settings }: RunRecord) =>
    settings.history === "reference" ? "the reference replies" : "its own replies";
  if (mode(baseline) !== mode(candidate)) {
    return `The baseline's model saw ${mode(baseline)} as history, the candidate's ${mode(candidate)}.`;
  }
  return null;
}

function refused(reason: string, unpaired: Comparison["unpaired"]) {
  return {
    comparable: false,
    reason,
    verdict: null,
    sentence: `The runs cannot be compared: ${reason}`,
    scores: [],
    unpaired,
    notes: [],
    changed: [],
    regressions: 0,
    improvements: 0,
  };
}

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
