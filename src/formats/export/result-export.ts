import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../contract/evaluation-response.ts";
import type { Judgement } from "./judgement.ts";

/** What is known of a run when its export begins. */
export type RunHead = Pick<EvaluationResponse, "run_id" | "test_name" | "endpoint" | "model_id" | "state"> &
  Partial<
    Pick<EvaluationResponse, "message" | "summary" | "timing" | "demo" | "usage" | "history" | "system_prompt">
  > & {
    /** Of a run that was judged as a whole, as `rehearsal eval` does. */
    readonly judgements?: readonly Judgement[];
  };

/** An export that takes scenarios one at a time, so that a large run never stands in memory as a whole. Joined pieces are the file. */
export interface ResultExport {
  start(run: RunHead): string;
  scenario(result: ScenarioResult): string;
  /** The same for each attempt of a scenario by itself, where nothing is said of all of them. */
  attempt?(scenario_id: string, attempt: AttemptResult): string;
  /** Shows only the beginning of a reply, and none of its labels. */
  readonly shortens?: true;
  finish(): string;
}

/** The whole file at once, for a run that is in memory anyway. */
export function exportResults(create: () => ResultExport, response: EvaluationResponse & RunHead): string {
  const pieces = create();
  const head = pieces.start(response);
  return head + response.results.scenarios.map((result) => pieces.scenario(result)).join("") + pieces.finish();
}
