import { ServiceError } from "../../contract/errors/errors.ts";
import type { NoiseFloor } from "../../contract/schemas/comparison.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import { noiseFloor } from "../../evaluation/statistics/reliability.ts";
import { canonicalJson } from "../../base/json.ts";
import { getOwnedRun, requireEndedRun } from "../stored/find-run.ts";
import { testedEndpoint, testsOwnAgent } from "../plan/endpoints.ts";

/**
 * The noise floor of each score from repeated runs (A/A): same endpoint, model, settings and scenarios. Other runs are refused.
 */
export async function measureNoise(
  store: Store,
  runIds: readonly string[],
  { owner }: { owner?: string | null } = {},
): Promise<Record<string, NoiseFloor>> {
  const runs = await Promise.all([...new Set(runIds)].map((id) => endedNoiseRun(store, id, owner)));
  const [first] = runs;
  if (!first) throw new ServiceError("validation_failed", "Name at least one run.");
  const same = await identityOf(store, first);
  for (const run of runs.slice(1)) {
    if ((await identityOf(store, run)) === same) continue;
    throw new ServiceError(
      "validation_failed",
      `The run ${run.id} differs from ${first.id} in settings or scenarios.`,
      { hint: "Name runs of one request: the same endpoint, model, settings and scenarios, scored the same way." },
    );
  }
  const names = new Set(runs.flatMap((run) => Object.keys(run.summary?.average_scores ?? {})));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = runs.flatMap((run) => run.summary?.average_scores[name] ?? []);
      return [name, noiseFloor(values)];
    }),
  );
}

async function endedNoiseRun(store: Store, id: string, owner: string | null | undefined): Promise<RunRecord> {
  const run = await getOwnedRun(store, id, owner);
  requireEndedRun(run, "noise is measured from ended runs");
  if (run.state !== "completed")
    throw new ServiceError("validation_failed", `The run ${id} is not completed (${run.state}).`);
  // A run stopped by its budget covers other scenarios, so its difference is not chance.
  if (run.summary?.stopped_by !== undefined)
    throw new ServiceError("validation_failed", `The run ${id} stopped before its end: its budget was spent.`);
  if (run.summary?.rescored?.partial)
    throw new ServiceError(
      "validation_failed",
      `Rescoring the run ${id} was interrupted: some turns still have their earlier scores.`,
    );
  return run;
}

/** Settings that change neither a reply nor a score. */
const ignoredSettings: ReadonlySet<string> = new Set([
  "test_name",
  "tags",
  "metadata",
  "concurrency",
  "budget",
  "priority",
  "gate",
  "replay_first_bad_turn",
] satisfies (keyof RunSettings)[]);

async function identityOf(store: Store, run: RunRecord): Promise<string> {
  const { id, settings } = run;
  const { history = "generated" } = settings;
  const endpoint = testedEndpoint(settings.endpoint, testsOwnAgent(run));
  const measured = Object.entries({ ...settings, history, endpoint }).filter(([name]) => !ignoredSettings.has(name));
  return canonicalJson([Object.fromEntries(measured), await store.runs.scenarios(id)]);
}
