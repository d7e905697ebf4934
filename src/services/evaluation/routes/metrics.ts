import { Gauge, Registry } from "prom-client";
import { getEvaluationMetrics } from "../../../contract/operations/service.ts";
import type { Workload } from "../../../contract/ports/store.ts";
import { RunState } from "../../../contract/schemas/run.ts";
import { defineRoute } from "../../http/route.ts";
import type { EvaluationDependencies } from "../dependencies.ts";

/** Gauges of what is stored, read when they are asked for: several processes that share a store tell the same. */
export function createEvaluationMetrics(workload: () => Promise<Workload>): Registry {
  const registry = new Registry();
  const registers = [registry];
  const runs = new Gauge({
    name: "rehearsal_evaluation_runs",
    help: "Stored runs, by state.",
    labelNames: ["state"],
    registers,
    async collect() {
      const now = await workload();
      for (const state of RunState.options) runs.set({ state }, now.runs.get(state) ?? 0);
      waiting.set(now.attempts.get("ready") ?? 0);
      running.set(now.attempts.get("running") ?? 0);
      workers.set(now.workers);
    },
  });
  const waiting = new Gauge({
    name: "rehearsal_evaluation_attempts_waiting",
    help: "Attempts in the queue.",
    registers,
  });
  const running = new Gauge({
    name: "rehearsal_evaluation_attempts_running",
    help: "Attempts that are executed.",
    registers,
  });
  const workers = new Gauge({
    name: "rehearsal_evaluation_workers",
    help: "Processes that execute attempts.",
    registers,
  });
  return registry;
}

/** Figures for Prometheus. */
export const evaluationMetricsRoute = defineRoute(getEvaluationMetrics, ({ workload }: EvaluationDependencies) => {
  const registry = createEvaluationMetrics(workload);
  return async ({ context }) => context.body(await registry.metrics(), 200, { "content-type": registry.contentType });
});
