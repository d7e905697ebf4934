import { toPointer } from "../../base/json.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { GateResult } from "../../contract/schemas/budget.ts";
import type { NotWorse } from "../../contract/schemas/comparison.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { toMargins, type Margins, type Undecided } from "../../contract/schemas/margins.ts";
import { passThreshold } from "../../contract/schemas/outcome.ts";
import type { Warning } from "../../contract/errors/problem.ts";
import type { RunSummary } from "../../contract/schemas/run.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { measuresOutOfReach, type OutOfReach } from "../../evaluation/comparison/not-worse.ts";
import { createFailedReplies } from "../../evaluation/comparison/run-tally.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { getOwnedRun } from "../stored/find-run.ts";
import { commonPairAttempts, compareSides } from "./compare-sides.ts";
import { readComparedRun, readFailedReplies } from "./stored-side.ts";

/** A run that is to be shown not worse than a baseline. */
type GatedSettings = Pick<RunSettings, "gate" | "threshold" | "weights" | "attempts">;

/**
 * Warnings before the first call about margins that no result of these scenarios could be shown to keep. Refuses a baseline that
 * does not exist.
 */
export async function baselineWarnings(
  store: Store,
  { settings, scenarios, owner }: { settings: GatedSettings; scenarios: readonly Scenario[]; owner?: string | null },
): Promise<readonly Warning[]> {
  const { gate } = settings;
  if (gate?.baseline === undefined || gate.not_worse_by === undefined) return [];
  const margins = toMargins(gate.not_worse_by);
  const baseline = await getOwnedRun(store, gate.baseline, owner).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== "run_not_found") throw error;
    throw invalidFieldsError([
      { pointer: "/gate/baseline", code: "invalid", message: "must be the id of a stored run" },
    ]);
  });
  const counted = { attempts: settings.attempts, failed: createFailedReplies(), margins };
  const { tally } = await readComparedRun(store, baseline, counted);
  const ids = new Set(scenarios.map(({ id }) => id));
  return measuresOutOfReach(tally, { margins, threshold: passThreshold(settings), scenarios: ids }).map((measure) => ({
    pointer:
      typeof gate.not_worse_by === "number" ? "/gate/not_worse_by" : toPointer(["gate", "not_worse_by", measure.name]),
    message: outOfReachText(measure, margins[measure.name] ?? 0),
  }));
}

/** Names a margin that cannot be shown, and the number of scenarios that could. */
export const outOfReachText = ({ name, scenarios, needed }: OutOfReach, margin: number): string =>
  `cannot be shown for ${name} with ${scenarios} ${scenarios === 1 ? "scenario" : "scenarios"}, however good the replies are: not worse by ${margin} takes at least ${needed}`;

/** Adds the comparison with the baseline to the gate of an ended run. */
export async function withBaselineGate(summary: RunSummary, run: RunRecord, store: Store): Promise<RunSummary> {
  const { gate } = run.settings;
  if (gate?.baseline === undefined || gate.not_worse_by === undefined) return summary;
  const margins = toMargins(gate.not_worse_by);
  const added = await compareWithBaseline(run, {
    store,
    baselineId: gate.baseline,
    margins,
    undecided: gate.undecided,
  });
  const checks = [...(summary.gate?.checks ?? []), ...added];
  return { ...summary, gate: { passed: checks.every(({ passed }) => passed), checks } };
}

interface BaselineOptions {
  readonly store: Store;
  readonly baselineId: string;
  readonly margins: Margins;
  readonly undecided: Undecided | undefined;
}

async function compareWithBaseline(
  run: RunRecord,
  { store, baselineId, margins, undecided }: BaselineOptions,
): Promise<GateResult["checks"]> {
  const baseline = await store.runs.get(baselineId);
  const refused = (sentence: string): GateResult["checks"] =>
    Object.entries(margins).map(([name, margin]) => ({
      name,
      required: -margin,
      actual: null,
      passed: false,
      sentence,
    }));
  if (!baseline || baseline.owner !== run.owner) return refused(`The baseline ${baselineId} no longer exists.`);
  const attempts = commonPairAttempts(baseline.settings, run.settings);
  const failed = await readFailedReplies(store, [baseline, run]);
  const unanswered = await readFailedReplies(store, [baseline]);
  const counted = { attempts: attempts.most, failed, unanswered, margins };
  const before = await readComparedRun(store, baseline, counted);
  // The state is stored together with the summary that this check is a part of.
  const after = { ...(await readComparedRun(store, run, counted)), state: "completed" as const, rescored: undefined };
  const { comparison, notWorse } = compareSides(before, after, { margins });
  if (!comparison.comparable) return refused(`The run cannot be compared with the baseline. ${comparison.reason}`);
  return toChecks(notWorse?.measures ?? [], undecided);
}

function toChecks(measures: NotWorse["measures"], undecided: Undecided = "fail"): GateResult["checks"] {
  return measures.map(({ name, kind, margin, bound, verdict, sentence }) => ({
    name,
    required: kind === "ratio" ? 1 + margin : -margin,
    actual: bound,
    passed: verdict === "not_worse" || (verdict === "undecided" && undecided === "pass"),
    not_worse: verdict,
    sentence,
  }));
}
