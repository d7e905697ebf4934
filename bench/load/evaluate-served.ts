import type { BenchContext, Figures } from "../bench.ts";
import { startRehearsal, type RehearsalOptions } from "../harness/rehearsal.ts";
import { warmUpCalls } from "../reference/run-bare-loop.ts";
import { interactionsOf, toEvaluationRequest, type Workload } from "./evaluation-request.ts";
import { postEvaluation } from "./post-evaluation.ts";

/** A fresh service, a warm-up like the bare loop's, then the work through POST /evaluate, stored with fsync. */
export async function evaluateServed(
  workload: Workload,
  { endpoint, ...options }: { endpoint: string } & Omit<RehearsalOptions, "scratch">,
  { scratch, model }: Pick<BenchContext, "scratch" | "model">,
): Promise<Figures> {
  const service = await startRehearsal({ scratch, ...options });
  try {
    const warmUp = { scenarios: warmUpCalls, turns: 1, attempts: 1 };
    await postEvaluation(service.evaluation, toEvaluationRequest(warmUp, { endpoint: model.at("latency-0") }));
    const body = toEvaluationRequest(workload, { endpoint });
    const used = service.cpuSeconds();
    const { wallSeconds } = await postEvaluation(service.evaluation, body);
    return {
      wall_s: wallSeconds,
      cpu_ms: ((service.cpuSeconds() - used) * 1000) / interactionsOf(workload),
      peak_mb: service.peakMegabytes(),
    };
  } finally {
    await service.stop();
  }
}
