import type { RunRanking } from "../contract/schemas/comparison.ts";
import { ServiceError } from "../contract/errors.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import { aboutRun } from "./about-run.ts";
import { countedAttempts, notesOnFailed } from "./compared-attempts.ts";
import { failedInRuns } from "./failed-in-runs.ts";
import { findRun } from "./find-run.ts";
import { createRanking, rankedBy, titlesOf } from "./rank-sides.ts";
import { tallyRun } from "./tally-run.ts";

/** Ranks stored runs by one score, `overall` unless another is named. Runs that cannot be ranked are refused with the reason, in the answer. */
export async function rankStoredRuns(
  store: Store,
  { ids, score }: { ids: readonly string[]; score?: string | undefined },
  { owner }: { owner?: string | null } = {},
): Promise<RunRanking> {
  const runs: RunRecord[] = [];
  for (const id of new Set(ids)) runs.push(await findRun(store, id, owner));
  if (runs.length < 2) throw new ServiceError("validation_failed", "Name at least two runs.");
  const sides = runs.map((run) => ({ ...aboutRun(run), summary: run.summary }));
  const chosen = score ?? rankedBy(sides);
  const titles = titlesOf(sides);
  const attempts = countedAttempts(runs.map(({ settings }, index) => [`the run ${titles[index]}`, settings]));
  const failed = await failedInRuns(store, runs);
  const ranking = createRanking(chosen, sides);
  // One after the other: of each but the first no more than its means stays in memory.
  for (const run of runs) ranking.add(await tallyRun(store, run, { attempts: attempts.most, failed }));
  return ranking.finish([...attempts.notes, ...notesOnFailed(failed, { ...attempts, score: chosen })]);
}
