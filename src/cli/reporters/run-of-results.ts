import type { AttemptResult, EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Run } from "../../contract/schemas/run.ts";

/** What a file of results says about its run. */
export function runOfResults(response: EvaluationResponse): Run {
  const { run_id, test_name, endpoint, model_id, state, message, demo, timing, summary, usage, results, warnings } =
    response;
  const attempts = results.scenarios.flatMap((scenario) => scenario.attempts);
  const { interactions, failed } = summary;
  return {
    run_id,
    test_name,
    endpoint,
    model_id,
    state,
    message,
    demo,
    created_at: timing.started_at ?? timing.finished_at ?? new Date(0).toISOString(),
    started_at: timing.started_at,
    finished_at: timing.finished_at,
    progress: {
      attempts_total: attempts.length,
      attempts_done: attempts.filter(isWhole).length,
      interactions_total: interactions,
      interactions_done: interactions,
      interactions_failed: failed,
    },
    summary: { ...summary, usage },
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Of a run that was stopped, results also hold attempts that were cut short or never begun. */
const isWhole = ({ unfinished, interactions }: AttemptResult): boolean => !unfinished && interactions.length > 0;
