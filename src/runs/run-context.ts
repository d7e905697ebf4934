import { ServiceError } from "../contract/errors.ts";
import type { RunSettings } from "../contract/evaluation-request.ts";
import type { ChatModel } from "../contract/model.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { Store } from "../contract/store.ts";
import { labelCandidates, type LabelCandidates } from "../evaluation/labels/label-candidates.ts";

/** What every attempt of one run shares. */
export interface RunContext {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  readonly model: ChatModel;
  readonly candidates: LabelCandidates;
}

/** Reads a run's context once and keeps the last few, since a worker takes many attempts of the same runs. */
export function createRunContexts({
  store,
  createModel,
  keep = 100,
}: {
  store: Store;
  createModel: (settings: RunSettings) => ChatModel;
  keep?: number;
}): (runId: string) => Promise<RunContext> {
  const contexts = new Map<string, Promise<RunContext>>();

  async function read(runId: string): Promise<RunContext> {
    const [run, scenarios] = await Promise.all([store.runs.get(runId), store.runs.scenarios(runId)]);
    if (!run) throw new ServiceError("run_not_found", `The run ${runId} no longer exists.`);
    await store.runs.start(runId, Date.now());
    return {
      settings: run.settings,
      scenarios,
      model: createModel(run.settings),
      candidates: labelCandidates(scenarios),
    };
  }

  return (runId) => {
    const known = contexts.get(runId);
    if (known) return known;
    const context = read(runId);
    contexts.set(runId, context);
    context.catch(() => contexts.delete(runId));
    const oldest = contexts.keys().next();
    if (contexts.size > keep && !oldest.done) contexts.delete(oldest.value);
    return context;
  };
}
