import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import { makeResults } from "./make-results.ts";

const sketch = makeResults({
  id: "01990000-0000-7000-8000-000000000020",
  name: "judged",
  scenarios: Array.from({ length: 30 }, (_, index) => ({
    id: `case-${index}`,
    attempts: [[{ user: `Question ${index}?`, reply: index % 4 === 0 ? "Bad reply" : "Good reply" }]],
  })),
});

/** A run whose replies a judge was asked about. */
export const judgedRun: EvaluationResponse = {
  ...sketch,
  summary: {
    ...sketch.summary,
    average_scores: { ...sketch.summary.average_scores, judge_correctness: 0.75 },
  },
};
