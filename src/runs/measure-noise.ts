import { ServiceError } from "../contract/errors.ts";
import type { NoiseFloor } from "../contract/schemas/comparison.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import { noiseFloor } from "../evaluation/statistics/reliability.ts";
import { canonicalJson } from "../base/json.ts";
import { findRun, refuseUnfinished } from "./find-run.ts";
import { testedEndpoint } from "./tested-endpoint.ts";

/**
 * The noise floor of each score from runs of the same thing (A/A): same endpoint, model, settings and scenarios.
 * Runs that are not the same thing are refused.
 */
export async function measureNoise(
  store: Store,
  runIds: readonly string[],
  { owner }: { owner?: string | null } = {},
): Promise<Record<string, NoiseFloor>> {
  const runs = await Promise.all([...new Set(runIds)].map((id) => endedRun(store, id, owner)));
  const [first] = runs;
  if (!first) throw new ServiceError("validation_failed", "Name at least one run.");
  const same = await contentOf(store, first);
  for (const run of runs.slice(1)) {
    if ((await contentOf(store, run)) === same) continue;
    throw new ServiceError(
      "validation_failed",
      `The run ${run.id} did not do the same as ${first.id}: other settings or scenarios.`,
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

async function endedRun(store: Store, id: string, owner: string | null | undefined): Promise<RunRecord> {
  const run = await findRun(store, id, owner);
  refuseUnfinished(run, "noise is measured from ended runs");
  if (run.state !== "completed")
    throw new ServiceError("validation_failed", `The run ${id} is not completed (${run.state}).`);
  // Its means are those of other scenarios: what it differs by is not chance.
  if (run.summary?.stopped_by !== undefined)
    throw new ServiceError("validation_failed", `The run ${id} stopped before its end: its budget was spent.`);
  if (run.summary?.rescored?.partial)
    throw new ServiceError(
      "validation_failed",
      `Scoring the run ${id} again was broken off: some turns are scored as before.`,
    );
  return run;
}

/** Settings that change neither a reply nor a score. */
const besides: ReadonlySet<string> = new Set([
  "test_name",
  "tags",
  "metadata",
  "concurrency",
  "budget",
  "priority",
  "gate",
  "replay_first_bad_turn",
] satisfies (keyof RunSettings)[]);

async function contentOf(store: Store, { id, settings, tied }: RunRecord): Promise<string> {
  const { history = "generated" } = settings;
  const endpoint = testedEndpoint(settings.endpoint, tied);
  const measured = Object.entries({ ...settings, history, endpoint }).filter(([name]) => !besides.has(name));
  return canonicalJson([Object.fromEntries(measured), await store.runs.scenarios(id)]);
}
