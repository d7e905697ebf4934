import type { RunJudgement } from "../../formats/export/results/result-export.ts";
import type { RunOutcome } from "./reporter.ts";

/** How a run was judged, for a report of it. */
export function judgementsOf({ gates, problems, comparison }: RunOutcome): RunJudgement[] {
  return [
    ...problems.map((message): RunJudgement => ({ name: "the run", outcome: "error", message })),
    ...gates.map(({ gate, passed, message }): RunJudgement => ({
      name: gate,
      outcome: passed ? "passed" : "failed",
      message,
    })),
    ...(comparison
      ? [
          {
            name: "baseline",
            outcome: "told",
            message: comparison.comparable ? comparison.sentence : comparison.reason,
          } as const,
        ]
      : []),
  ];
}
