import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { Run, RunChanges } from "../../../src/contract/schemas/run.ts";
import { makeResults } from "./make-results.ts";

/** Runs of the fake evaluation service. A started run stays under way until `finish`. */
export interface FakeRuns {
  list(): readonly EvaluationResponse[];
  get(id: string): EvaluationResponse | undefined;
  toRun(results: EvaluationResponse): Run;
  start(request: { test_name?: string; model_id: string; test_batch: unknown; attempts?: number }): EvaluationResponse;
  cancel(id: string): void;
  rescore(id: string, replaced: readonly string[]): void;
  change(id: string, changes: RunChanges): void;
  remove(id: string): void;
  /** Ends every run that is under way. */
  finish(): void;
  onChange(listener: () => void): () => void;
  /** How many follow a run live right now. */
  followers(): number;
}

export function createFakeRuns(initial: readonly EvaluationResponse[]): FakeRuns {
  const runs = new Map(initial.map((run) => [run.run_id, run]));
  const tags = new Map<string, string[]>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const setState = (run: EvaluationResponse, state: Run["state"]): void => {
    runs.set(run.run_id, { ...run, state });
    changed();
  };

  return {
    list: () => [...runs.values()],
    get: (id) => runs.get(id),
    toRun: (results) => ({ ...toRun(results), tags: tags.get(results.run_id) ?? [] }),
    start(request) {
      const batch = Array.isArray(request.test_batch) ? request.test_batch : [request.test_batch];
      const scenarios = (batch as { id: string; interactions: { user_message: string }[] }[]).map((scenario) => ({
        id: scenario.id,
        attempts: Array.from({ length: request.attempts ?? 1 }, () =>
          scenario.interactions.map((interaction) => ({ user: interaction.user_message, overall: 0.9 })),
        ),
      }));
      const id = `01990000-0000-7000-8000-0000000001${String(runs.size).padStart(2, "0")}`;
      const run = makeResults({
        id,
        name: request.test_name ?? scenarios[0]?.id ?? "",
        scenarios,
        model: request.model_id,
      });
      runs.set(id, { ...run, state: "running" });
      return { ...run, state: "running" };
    },
    cancel(id) {
      const run = runs.get(id);
      if (run) setState(run, "cancelled");
    },
    rescore(id, replaced) {
      const run = runs.get(id);
      const rescored = { at: "2026-02-03T10:00:00.000Z", replaced: [...replaced] };
      if (run) runs.set(id, { ...run, summary: { ...run.summary, rescored } });
    },
    change(id, { test_name, tags: changed }) {
      const run = runs.get(id);
      if (run) runs.set(id, { ...run, test_name: test_name ?? run.test_name });
      if (changed) tags.set(id, changed);
    },
    remove(id) {
      runs.delete(id);
    },
    finish() {
      for (const run of runs.values()) if (run.state === "running") setState(run, "completed");
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    followers: () => listeners.size,
  };
}

function toRun(results: EvaluationResponse): Run {
  const attempts = results.results.scenarios.flatMap((scenario) => scenario.attempts);
  const total = results.summary.interactions;
  const ended = results.state !== "running";
  return {
    run_id: results.run_id,
    test_name: results.test_name,
    endpoint: results.endpoint,
    model_id: results.model_id,
    state: results.state,
    message: results.message,
    demo: results.demo,
    created_at: results.timing.started_at ?? "2026-11-14T09:00:00.000Z",
    started_at: results.timing.started_at,
    finished_at: ended ? results.timing.finished_at : null,
    progress: {
      attempts_total: attempts.length,
      attempts_done: ended ? attempts.length : Math.floor(attempts.length / 2),
      interactions_total: total,
      interactions_done: ended && results.state !== "cancelled" ? total : Math.floor(total / 2),
      interactions_failed: results.summary.failed,
    },
    summary: ended ? { ...results.summary, usage: results.usage } : null,
    warnings: results.warnings,
  };
}
