import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { RunRanking } from "../../contract/schemas/comparison.ts";
import { commonAttempts, failedReplyNotes } from "../../runs/compare/compare-sides.ts";
import { createRanking, defaultRankingScore, runTitles } from "../../runs/compare/rank-runs.ts";
import { failedIn, toSide } from "./to-side.ts";

/** Ranks runs from their results, wherever those came from, as the service ranks stored ones. */
export function rankResponses(
  responses: readonly EvaluationResponse[],
  score = defaultRankingScore(responses),
): RunRanking {
  const runs = responses.map(({ run_id, test_name, model_id, endpoint, demo, summary }) => ({
    run_id,
    test_name,
    model_id,
    endpoint,
    demo,
    summary,
  }));
  const titles = runTitles(runs);
  const attempts = commonAttempts(responses.map((response, index) => [`the run ${titles[index]}`, response]));
  const failed = failedIn(responses);
  const ranking = createRanking(score, runs);
  for (const response of responses) ranking.add(toSide(response, { attempts: attempts.most, failed }));
  return ranking.finish([...attempts.notes, ...failedReplyNotes(failed, { ...attempts, score })]);
}
