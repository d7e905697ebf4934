import type { Judgement } from "../../formats/export/judgement.ts";
import type { RunOutcome } from "./reporter.ts";

/** How a run was judged, for a report of it. */
export function judgementsOf({ gates, problems, comparison }: RunOutcome): Judgement[] {
  return [
    ...problems.map((message): Judgement => ({ name: "the run", outcome: "error", message })),
    ...gates.map(({ gate, passed, message }): Judgement => ({
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
