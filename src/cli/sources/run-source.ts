import type { EvaluationInput } from "../../client/evaluation-input.ts";
import type { RescoreInput } from "../../client/rescore-input.ts";
import type { RunEstimate } from "../../contract/schemas/budget.ts";
import type { RunFilter } from "../../contract/ports/store.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Run, RunList } from "../../contract/schemas/run.ts";

export type RunQuery = Omit<RunFilter, "owner" | "limit" | "search_model_ids"> & { readonly limit?: number };

/** Runs that can be read and managed: those of this machine, or of a service. */
export interface RunSource extends AsyncDisposable {
  list(query: RunQuery): Promise<RunList>;
  get(runId: string): Promise<Run>;
  results(runId: string): Promise<EvaluationResponse>;
  /** What a run would take. Calls no model. */
  estimate(request: EvaluationInput): Promise<RunEstimate>;
  rescore(
    runId: string,
    options: { readonly askModels: boolean; readonly replace: RescoreInput; readonly signal: AbortSignal },
  ): Promise<Run>;
  cancel(runId: string): Promise<Run>;
  delete(runId: string): Promise<void>;
}
