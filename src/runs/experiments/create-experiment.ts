import { compact } from "../../base/compact.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { sharedBudget } from "../plan/plan-sequence.ts";
import type { PlannedVariant } from "../plan/plan-variants.ts";

/** Ids of the runs that were created together with this one. */
export const experimentOf = ({ id, settings }: RunRecord): readonly string[] => settings.experiment?.runs ?? [id];

/** The id of the experiment that new variants join, by its id or that of one of its runs. */
export async function findExperiment(store: Store, named: string, owner: string | null): Promise<string> {
  const run = await store.runs.get(named);
  if (run?.settings.experiment && (owner === null || run.owner === owner)) return run.settings.experiment.id;
  // Its first run may have been deleted.
  const { runs } = await store.runs.list({ experiment: named, limit: 1, ...(owner !== null && { owner }) });
  if (runs.length > 0) return named;
  const message = "must be the id of an experiment, or of one of its runs";
  throw invalidFieldsError([{ pointer: "/experiment", code: "unknown", message, received: named }]);
}

/**
 * The settings of the runs of all variants. Each has its share of the budget, so that all together keep it. Where they are compared until
 * it is decided, the baseline is one side and every other variant another.
 */
export function variantSettings(
  planned: readonly PlannedVariant[],
  {
    id,
    ids,
    baseline,
    isExperiment,
  }: {
    readonly id: string;
    readonly ids: readonly string[];
    readonly baseline: number;
    readonly isExperiment: boolean;
  },
): RunSettings[] {
  const candidate = ids.find((_, index) => index !== baseline);
  return planned.map(({ name, factors, plan }, index) => {
    const { scenarios: _scenarios, survey: _survey, slowChecks: _checks, budget, sequence, ...settings } = plan;
    const side = index === baseline ? ("baseline" as const) : ("candidate" as const);
    return compact({
      ...settings,
      budget: budget && (planned.length > 1 ? sharedBudget(budget, planned.length) : budget),
      sequence: sequence && {
        ...sequence,
        side,
        opponent: side === "baseline" ? candidate : ids[baseline],
        ...(ids.length > 2 && { rivals: [...ids] }),
      },
      experiment: isExperiment
        ? { id, variant: name, ...(factors && { factors: { ...factors } }), runs: [...ids] }
        : undefined,
    });
  });
}
