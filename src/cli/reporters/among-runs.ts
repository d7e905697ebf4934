import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { RunPlace } from "./reporter.ts";

/** What something of a run is called where the runs of other models stand beside it. */
export const amongRuns = (name: string, { model_id }: Pick<EvaluationResponse, "model_id">, { of }: RunPlace): string =>
  of < 2 ? name : `${name} on ${model_id}`;
