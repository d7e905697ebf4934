import type { RunState } from "../contract/run.ts";
import type { Store } from "../contract/store.ts";
import { createRunFigures } from "../evaluation/summarize-run.ts";
import { toAttemptResult } from "./attempt-result.ts";

/** Gives a run whose attempts are all over its figures and its final state. Safe to repeat: only the first one counts. */
export async function concludeRun(runId: string, { store, now }: { store: Store; now: () => number }): Promise<void> {
  const run = await store.runs.get(runId);
  if (!run) return;
  const scenarios = await store.runs.scenarios(runId);
  const figures = createRunFigures();
  for await (const attempt of store.attempts.withInteractions(runId)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario || attempt.interactions.length === 0) continue;
    const { interactions } = toAttemptResult(attempt, scenario);
    figures.add({ scenario: attempt.scenario_index, interactions });
  }
  const { summary, message } = figures.finish();
  const state: RunState = run.state === "cancelling" ? "cancelled" : "completed";
  const text =
    state === "cancelled" ? cancelledMessage(summary.interactions, run.progress.interactions_total) : message;
  await store.runs.finish(runId, { state, message: text, summary, at: now() });
}

function cancelledMessage(done: number, total: number): string {
  return `Evaluation cancelled: ${done} of ${total} interactions were done`;
}
